"""Widgets for the notebook. Importing one brings anywidget, and with it ipywidgets."""

from react_kit.widgets.stepper import Stepper

__all__ = ["Stepper"]
