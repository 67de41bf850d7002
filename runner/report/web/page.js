// Draws the figures, and draws them again with the rows of the chosen models and tasks.
const data = await unpacked(document.getElementById("data").textContent);
const state = document.getElementById("state");
const models = new Set(data.models);
const chosen = { models: new Set(data.models), tasks: new Set(data.tasks) };
const slots = new Map();
let round = 0;

function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).json();
}

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function copyButton(text) {
  const button = element("button", { type: "button", class: "copy" }, "copy");
  button.addEventListener("click", async () => {
    const area = element("textarea", { style: "position:fixed;opacity:0" });
    area.value = text;
    document.body.append(area);
    area.select();
    const worked = document.execCommand("copy");
    area.remove();
    button.textContent = worked ? "copied" : "select and copy it by hand";
  });
  return button;
}

// A task without the condition that it is shown under.
function plain(task) {
  return task.split(" (")[0];
}

function kept(row) {
  const whos = [row.who, row.who_a, row.who_b].filter((who) => who !== undefined);
  return whos.every((who) => chosen.models.has(who))
    && (row.task === undefined || chosen.tasks.has(plain(row.task)));
}

function isModelScale(scale) {
  return scale && Array.isArray(scale.domain) && Array.isArray(scale.range)
    && scale.domain.length > 0 && scale.domain.every((name) => models.has(name));
}

// A model keeps its colour when others are left out, and those leave the legend too.
function withChosenModels(node) {
  if (Array.isArray(node)) return node.map(withChosenModels);
  if (node === null || typeof node !== "object") return node;
  const copy = {};
  for (const [key, value] of Object.entries(node)) copy[key] = withChosenModels(value);
  if (isModelScale(copy.scale)) {
    const left = copy.scale.domain.map((name, at) => [name, copy.scale.range[at]])
      .filter(([name]) => chosen.models.has(name));
    copy.scale = { ...copy.scale, domain: left.map(([name]) => name), range: left.map(([, to]) => to) };
  }
  return copy;
}

async function draw(figure) {
  const slot = slots.get(figure.name);
  const rows = figure.rows.filter(kept);
  if (slot.view) slot.view.finalize();
  slot.view = null;
  slot.count.textContent = "";
  slot.chart.replaceChildren();
  if (rows.length === 0) {
    slot.chart.append(element("p", { class: "empty" }, "nothing of what is chosen above"));
    return;
  }
  const spec = { ...withChosenModels(figure.spec), data: { values: rows } };
  const made = await window.vegaEmbed(slot.chart, spec, {
    renderer: "svg",
    actions: { export: true, source: false, compiled: false, editor: false },
    downloadFileName: figure.name,
  });
  slot.view = made.view;
  slot.count.textContent = figure.not_evaluated ? countMissing(rows) : "";
}

function countMissing(rows) {
  const missing = rows.reduce((sum, row) => sum + (row.n_not_evaluated ?? 0), 0);
  const answers = rows.reduce((sum, row) => sum + (row.n_answered ?? 0), 0);
  return `${answers.toLocaleString("en")} answers; not evaluated: ${missing.toLocaleString("en")}`;
}

async function drawAll() {
  const mine = ++round;
  state.classList.remove("done");
  for (const [index, figure] of data.figures.entries()) {
    if (mine !== round) return;
    state.textContent = `drawing ${index + 1} of ${data.figures.length}`;
    try {
      await draw(figure);
    } catch (error) {
      slots.get(figure.name).chart.textContent = `cannot be drawn: ${error.message}`;
      console.error(figure.name, error);
    }
    await new Promise((resolve) => setTimeout(resolve));
  }
  if (mine !== round) return;
  state.classList.add("done");
  document.body.dataset.drawn = String(mine);
}

function showTables() {
  for (const holder of document.querySelectorAll("#tables .scroll")) {
    let shown = 0;
    for (const row of holder.querySelectorAll("tbody tr")) {
      const names = [...row.querySelectorAll("td.name")].map((cell) => cell.textContent);
      const hidden = names.some((name) =>
        (models.has(name) && !chosen.models.has(name))
        || (data.tasks.includes(plain(name)) && !chosen.tasks.has(plain(name))));
      row.hidden = hidden;
      shown += hidden ? 0 : 1;
    }
    const task = holder.dataset.task;
    holder.hidden = shown === 0 || (task !== "" && !chosen.tasks.has(task));
  }
}

function refresh() {
  showTables();
  return drawAll();
}

function filters(kind) {
  const field = document.getElementById(kind);
  const boxes = data[kind].map((name) => {
    const box = element("input", { type: "checkbox", value: name, checked: "" });
    box.addEventListener("change", () => {
      chosen[kind][box.checked ? "add" : "delete"](name);
      refresh();
    });
    field.append(element("label", {}, box, ` ${name}`));
    return box;
  });
  const setAll = (on) => {
    for (const box of boxes) box.checked = on;
    chosen[kind] = new Set(on ? data[kind] : []);
    refresh();
  };
  field.querySelector(`[data-all=${kind}]`).addEventListener("click", () => setAll(true));
  field.querySelector(`[data-none=${kind}]`).addEventListener("click", () => setAll(false));
}

const holder = document.getElementById("figures");
for (const figure of data.figures) {
  const chart = element("div", { class: "chart" });
  const count = element("p", { class: "note" });
  const code = element("details", {},
    element("summary", {}, "SQL behind it"), copyButton(figure.sql), element("pre", {}, figure.sql));
  holder.append(element("article", { id: `figure-${figure.name}` }, chart, count, code));
  slots.set(figure.name, { chart, count, view: null });
}
filters("models");
filters("tasks");
await refresh();
