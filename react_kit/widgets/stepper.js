// The reader's half of the stepper. Everything from models and corpora goes in as text, never as markup.

const PAGE = 100; // rows asked for at once
const FOLLOW = 2000; // ms between looks at a run that may still grow
const KEYS = [
  ["j  k", "next, previous trajectory"],
  ["→  ←", "show one step more, one less"],
  ["a", "show all steps, or one by one"],
  ["/", "search"],
  ["e", "edit the last step shown"],
  ["p", "play one step on, where the episode is unfinished"],
  ["c", "compare: put this one beside the others, or take it away"],
  ["o", "original or branch"],
  ["r", "raw replies"],
  ["?", "this list"],
  ["Esc", "leave a text field, close, go back to the reader"],
];
const MARKS = { right: "✓", wrong: "✗", partly: "◐", unscored: "·" };

function h(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  }
  node.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return node;
}

function messenger(model) {
  const waiting = new Map();
  let last = 0;
  const heard = (message) => {
    const done = waiting.get(message.id);
    waiting.delete(message.id);
    if (done) done(message);
  };
  model.on("msg:custom", heard);
  return {
    ask: (ask, more) =>
      new Promise((done) => {
        const id = `${Date.now()}-${(last += 1)}`;
        waiting.set(id, done);
        model.send({ ask, id, ...more });
      }),
    close: () => model.off("msg:custom", heard),
  };
}

function render({ model, el }) {
  const { ask, close } = messenger(model);
  const state = {
    chosen: {}, text: "", rows: [], fit: 0, of: 0, place: -1, // place: position in the filtered list
    open: null, upto: 1, all: false, raw: false, compared: [], editing: null,
  };
  const twin = h("style", {}, `[data-rk-twin="${model.get("twin")}"]{display:none}`);
  const filters = h("div", { class: "rks-filters", role: "group", "aria-label": "Filters" });
  const search = h("input", {
    type: "search", class: "rks-search", placeholder: "Search all steps  ( / )", "aria-label": "Search all steps",
    oninput: () => { clearTimeout(state.timer); state.timer = setTimeout(() => { state.text = search.value; list(0); }, 250); },
  });
  const rows = h("div", { class: "rks-rows", role: "listbox", "aria-label": "Trajectories", tabindex: "-1" });
  const status = h("div", { class: "rks-status", role: "status", "aria-live": "polite" });
  const pane = h("section", { class: "rks-pane", "aria-label": "Trajectory" });
  const sheet = h("div", { class: "rks-sheet", role: "dialog", "aria-label": "Keys", hidden: true },
    h("b", {}, "Keys"), h("dl", {}, KEYS.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])),
    h("button", { type: "button", onclick: () => help(false) }, "Close"));
  const root = h("div", { class: "rks", tabindex: "0", "data-lm-suppress-shortcuts": "true", role: "application",
    "aria-label": "Trajectory stepper; press ? for the keys" },
    h("div", { class: "rks-bar" }, filters, search, h("button", { type: "button", "aria-label": "Keys", onclick: () => help(true) }, "?")),
    h("div", { class: "rks-body" }, h("nav", { class: "rks-list", "aria-label": "List" }, rows), pane), status, sheet);
  el.append(twin, root);

  const say = (text, alarm = false) => { status.textContent = text; status.classList.toggle("rks-alarm", alarm); };
  const help = (show) => { sheet.hidden = !show; (show ? sheet.querySelector("button") : root).focus(); };

  // ---------------------------------------------------------------- the list
  async function list(start, keep = false) {
    const found = await ask("rows", { chosen: state.chosen, text: state.text, start, count: PAGE });
    if (found.problem) return say(found.problem, true);
    state.rows = start ? [...state.rows.slice(0, start), ...found.rows] : found.rows;
    Object.assign(state, { fit: found.fit, of: found.of });
    drawFilters(found.facets);
    drawRows();
    const told = found.problems.length ? ` ${found.problems.join(" ")}` : "";
    say((found.of ? `${found.fit.toLocaleString("en")} of ${found.of.toLocaleString("en")} trajectories.`
      : "No trajectories here yet. They appear as episodes end; or check the path of the run.") + told, told !== "");
    if (found.growing && !state.follow) state.follow = setInterval(follow, FOLLOW);
    if (!keep && start === 0) {
      state.place = -1;
      if (state.rows.length) await go(0); else pane.replaceChildren(h("p", { class: "rks-none" }, "Nothing to show."));
    }
  }

  async function follow() {
    if (!root.isConnected) return clearInterval(state.follow);
    const grown = await ask("follow", {});
    if (grown.new) await list(0, true);
  }

  function drawFilters(facets) {
    filters.replaceChildren(...Object.entries(facets).map(([facet, values]) =>
      h("label", {}, h("span", {}, facet), h("select", {
        onchange: (event) => { state.chosen = { ...state.chosen, [facet]: event.target.value }; list(0); },
      }, h("option", { value: "" }, "all"), Object.entries(values).map(([value, count]) =>
        h("option", { value, selected: state.chosen[facet] === value }, `${value.replaceAll("_", " ")} (${count})`))))));
  }

  function drawRows() {
    rows.replaceChildren(...state.rows.map((row, place) => h("button", {
      type: "button", class: "rks-row", role: "option", tabindex: "-1", "aria-selected": String(place === state.place),
      onclick: () => go(place),
    }, h("span", { class: `rks-mark rks-${row.verdict}`, title: row.verdict }, MARKS[row.verdict]),
      h("span", { class: "rks-what" }, h("span", { class: "rks-asked" }, row.question),
        h("span", { class: "rks-by" }, [row.method, row.sample, row.parent && "branch", row.stop !== "answered" && row.stop.replaceAll("_", " ")]
          .filter(Boolean).join(" · "))))),
      state.rows.length < state.fit && h("button", { type: "button", class: "rks-more", onclick: () => list(state.rows.length, true) },
        `${(state.fit - state.rows.length).toLocaleString("en")} more`));
  }

  async function go(place) {
    if (place < 0 || place >= state.fit) return say(place < 0 ? "This is the first one." : "This is the last one.");
    if (place >= state.rows.length) await list(state.rows.length, true);
    state.place = place;
    rows.querySelectorAll(".rks-row").forEach((row, k) => row.setAttribute("aria-selected", String(k === place)));
    const row = rows.querySelectorAll(".rks-row")[place];
    if (row) rows.scrollTop = Math.min(row.offsetTop - 4, Math.max(rows.scrollTop, row.offsetTop + row.offsetHeight - rows.clientHeight + 4));
    await open(state.rows[place].n);
  }

  async function open(n, upto = null) {
    const found = await ask("open", { n });
    if (found.problem) { pane.replaceChildren(h("p", { class: "rks-none rks-alarm" }, found.problem)); return say(found.problem, true); }
    Object.assign(state, { open: found, upto: upto ?? (state.all ? found.steps.length : 1), editing: null });
    drawPane();
  }

  // ---------------------------------------------------------------- the reading pane
  const text = (parts) => parts.map((part) => part.marks.length
    ? h("mark", { class: part.marks.map((mark) => `rks-${mark}`).join(" "), title: part.marks.map((m) => (m === "gold" ? "gold sentence" : "the answer")).join(", ") }, part.text)
    : part.text);
  const part = (kind, name, ...content) => h("div", { class: `rks-part rks-${kind}` }, h("b", {}, name), h("p", {}, ...content));

  function head(t) {
    const facts = [["Gold", t.instance.answer], ["Answer", t.answer ?? "none", t.verdict], ["Outcome", [t.stop, ...t.scores].join(" · ")]];
    return h("header", { class: "rks-head" },
      h("div", { class: "rks-top" }, h("span", { class: "rks-title" }, t.title), h("span", {}, t.task), h("span", {}, t.model)),
      h("p", { class: "rks-question" }, t.instance.question),
      h("dl", {}, facts.filter(([, value]) => value != null).map(([name, value, mark]) =>
        [h("dt", {}, name), h("dd", { class: mark && `rks-${mark}` }, mark ? `${value} ${mark === "none" ? "" : `(${mark})`}` : value)])),
      t.parent && h("p", { class: "rks-branch" }, `Branch: step ${t.parent.step}, ${Object.keys(t.parent.edit).join(" and ")} edited. `,
        t.parent_n != null && h("button", { type: "button", onclick: () => open(t.parent_n, 99) }, "original (o)")),
      t.branches.length > 0 && h("p", { class: "rks-branch" }, "Branches: ", t.branches.map((n, k) =>
        h("button", { type: "button", onclick: () => open(n, 99) }, `branch ${k + 1}${k ? "" : " (o)"}`))));
  }

  function stepCard(t, s) {
    const shown = s.sentences.map((r) => `${r.title} ${r.from}${r.to > r.from ? `–${r.to}` : ""}${r.gold ? " (gold)" : ""}`).join(", ");
    const editor = state.editing?.n === t.n && state.editing.step === s.number ? edit(t, s) : null;
    return h("li", { class: "rks-step" },
      editor ?? [s.thought != null && part("thought", `Thought ${s.number}`, s.thought),
        s.action != null && part("action", s.answers ? "Answer" : `Action ${s.number}`, s.action)],
      s.observation && part("observation", `Observation ${s.number}`, text(s.observation)),
      h("div", { class: "rks-foot" },
        s.notes.map(([note, quiet]) => h("span", { class: quiet ? "rks-badge" : "rks-badge rks-alarm" }, note)),
        shown && h("span", { class: "rks-shown" }, `shown: ${shown}`),
        t.can_edit && !editor && h("button", { type: "button", "aria-label": `Edit step ${s.number}`, onclick: () => beginEdit(s.number) }, "edit")),
      s.calls.length > 0 && h("details", { open: state.raw }, h("summary", {}, `raw repl${s.calls.length > 1 ? "ies" : "y"}, ${s.calls.reduce((sum, c) => sum + c.prompt_tokens, 0)} + ${s.calls.reduce((sum, c) => sum + c.completion_tokens, 0)} tokens`),
        s.calls.map((call) => [call.reasoning && h("pre", {}, call.reasoning), h("pre", {}, call.text),
          h("p", {}, [call.finish, ...call.sent].join(" · "), " ",
            h("button", { type: "button", onclick: (event) => showPrompt(t.n, call.key, event.target) }, "prompt as sent"))])));
  }

  function card(t, upto) {
    const left = t.steps.length - upto;
    return h("article", { class: "rks-card" }, head(t), h("ol", { class: "rks-steps" }, t.steps.slice(0, upto).map((s) => stepCard(t, s))),
      h("div", { class: "rks-move" },
        left > 0 && h("button", { type: "button", onclick: () => reveal(1) }, `next of ${left} more steps (→)`),
        t.unfinished && t.can_edit && h("button", { type: "button", onclick: () => play(1) }, "play a step (p)"),
        t.unfinished && t.can_edit && h("button", { type: "button", onclick: () => play(null) }, "play to the end"),
        state.playing === t.n && h("button", { type: "button", onclick: () => ask("halt", { n: t.n }) }, "stop")));
  }

  function drawPane() {
    const t = state.open;
    if (!t) return;
    const upto = Math.min(state.upto, t.steps.length);
    const beside = state.compared.filter((other) => other.n !== t.n);
    const all = [...beside, t];
    pane.classList.toggle("rks-compare", all.length > 1);
    pane.replaceChildren(...all.map((one) => card(one, one === t && all.length === 1 ? upto : one.steps.length)));
    if (all.length > 1) markDifference(all);
    if (state.editing) pane.querySelector("textarea")?.focus();
  }

  function markDifference(all) {
    const said = all.map((t) => t.steps.map((s) => JSON.stringify([s.thought, s.action, s.observation?.map((o) => o.text).join("")])));
    const longest = Math.max(...said.map((steps) => steps.length));
    let at = 0;
    while (at < longest && new Set(said.map((steps) => steps[at])).size === 1) at += 1;
    if (at === longest) return;
    pane.querySelectorAll(".rks-card").forEach((one) => {
      const step = one.querySelectorAll(".rks-step")[at];
      if (step) { step.classList.add("rks-differs"); step.prepend(h("span", { class: "rks-badge" }, "first difference")); }
    });
  }

  async function showPrompt(n, key, button) {
    const found = await ask("prompt", { n, key });
    button.replaceWith(h("pre", { class: "rks-prompt", tabindex: "0" }, found.problem ?? found.prompt));
  }

  function reveal(by) {
    if (!state.open) return;
    state.upto = Math.max(1, Math.min(state.open.steps.length, Math.min(state.upto, state.open.steps.length) + by));
    drawPane();
    pane.querySelector(".rks-step:last-child")?.scrollIntoView({ block: "nearest" });
    say(`Step ${state.upto} of ${state.open.steps.length}.`);
  }

  async function compare() {
    const t = state.open;
    if (!t) return;
    const there = state.compared.findIndex((other) => other.n === t.n);
    if (there >= 0) state.compared.splice(there, 1);
    else if (state.compared.length < 3) state.compared.push(t);
    else return say("Three are put beside already; press c on one of them to take it away.", true);
    // Alone on its question so far: bring the first other method's trajectory of the same question.
    if (state.compared.length === 1 && there < 0 && t.same.length) await open(t.same[0], 99);
    drawPane();
    say(`${state.compared.length} kept for comparison.`);
  }

  // ---------------------------------------------------------------- editing and playing on
  function beginEdit(step) {
    if (!state.open.can_edit) return say("To edit, the stepper needs the model: Stepper(run, model=open_model(...)).", true);
    state.editing = { n: state.open.n, step };
    drawPane();
  }

  function edit(t, s) {
    const field = (name, value) => value == null ? null : h("textarea", { "aria-label": `${name} ${s.number}`, rows: name === "Action" ? "1" : "3" }, value);
    const thought = field("Thought", s.editable.thought), action = field("Action", s.editable.action);
    const ready = async () => {
      const changed = {};
      if (thought && thought.value !== s.editable.thought) changed.thought = thought.value;
      if (action && action.value !== s.editable.action) changed.action = action.value;
      if (!Object.keys(changed).length) return say("Nothing was changed.", true);
      say("The agent goes on from here …");
      const begun = await ask("edit", { n: t.n, step: s.number, ...changed });
      if (begun.problem) return say(begun.problem, true);
      state.editing = null;
      state.compared = [await ask("open", { n: t.n })];
      state.playing = begun.known ? null : begun.n;
      await list(0, true);
      await open(begun.n, 99);
      if (begun.differences.length) say(`On the way the environment answered otherwise: ${begun.differences.join("; ")}`, true);
      root.focus();
    };
    const keys = (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); ready(); } };
    return h("div", { class: "rks-edit", onkeydown: keys },
      thought && h("label", {}, h("b", {}, `Thought ${s.number}`), thought), action && h("label", {}, h("b", {}, `Action ${s.number}`), action),
      h("div", {}, h("button", { type: "button", class: "rks-main", onclick: ready }, "go on from here (Ctrl+Enter)"),
        h("button", { type: "button", onclick: () => { state.editing = null; drawPane(); root.focus(); } }, "cancel (Esc)")));
  }

  async function play(steps) {
    const t = state.open;
    if (!t?.unfinished || !t.can_edit) return say("This episode is over; edit a step to branch off.");
    const begun = await ask("play", { n: t.n, steps });
    if (begun.problem) return say(begun.problem, true);
    state.playing = t.n;
    say("The model is asked …");
  }

  async function played(message) {
    if (message.played == null) return;
    if (!message.playing && state.playing === message.played) state.playing = null;
    if (state.open?.n === message.played && !state.editing) await open(message.played, 99);
    say(message.problem || (message.playing ? `Step ${message.steps} is there …` : `Stopped after ${message.steps} steps: ${message.stop.replaceAll("_", " ")}.`), Boolean(message.problem));
    if (!message.playing) await list(0, true);
  }
  model.on("msg:custom", played);

  // ---------------------------------------------------------------- keys
  const commands = {
    j: () => go(state.place + 1), k: () => go(state.place - 1), ArrowRight: () => reveal(1), ArrowLeft: () => reveal(-1),
    a: () => { state.all = !state.all; state.upto = state.all ? 99 : 1; drawPane(); }, "/": () => search.focus(),
    e: () => state.open && beginEdit(Math.min(state.upto, state.open.steps.length)), p: () => play(1), c: compare,
    o: () => { const to = state.open?.parent_n ?? state.open?.branches[0]; if (to != null) open(to, 99); },
    r: () => { state.raw = !state.raw; drawPane(); }, "?": () => help(sheet.hidden),
  };
  root.addEventListener("keydown", (event) => {
    event.stopPropagation(); // the notebook must not see it
    const typing = event.target.closest("input, textarea, select");
    if (event.key === "Escape") {
      if (!sheet.hidden) help(false);
      else if (state.editing) { state.editing = null; drawPane(); }
      root.focus();
      return event.preventDefault();
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const command = commands[event.key];
    if (command) { event.preventDefault(); command(); }
  });

  list(0);
  return () => { clearInterval(state.follow); close(); model.off("msg:custom", played); };
}

export default { render };
