"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const root = document.documentElement;

  const theme = byId("theme");
  const isDark = () =>
    (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const showTheme = () => {
    theme.textContent = isDark() ? "Light" : "Dark";
    theme.setAttribute("aria-pressed", String(isDark()));
  };
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    showTheme();
    drawCurve();
  });
  showTheme();

  for (const button of document.querySelectorAll("button.copy")) {
    button.addEventListener("click", async () => {
      const text = button.parentElement.querySelector("code").textContent;
      try {
        await navigator.clipboard.writeText(text);
      } catch (refused) {
        // From file:// some browsers refuse the clipboard: select it, so that one key copies.
        getSelection().selectAllChildren(button.parentElement.querySelector("code"));
        if (!document.execCommand("copy")) return;
      }
      const label = button.dataset.label || (button.dataset.label = button.textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = label; }, 1500);
    });
  }

  // On paper everything is open and light; afterwards the page is as it was.
  let before = null;
  addEventListener("beforeprint", () => {
    if (before) return;
    before = { theme: root.dataset.theme, closed: document.querySelectorAll("details:not([open])") };
    for (const part of before.closed) part.open = true;
    root.dataset.theme = "light";
    drawCurve();
  });
  addEventListener("afterprint", () => {
    if (!before) return;
    for (const part of before.closed) part.open = false;
    if (before.theme) root.dataset.theme = before.theme; else delete root.dataset.theme;
    before = null;
    drawCurve();
  });

  const data = JSON.parse(byId("curve-data").textContent);
  const place = byId("curve"), running = byId("running");
  const last = data.at.length - 1;
  const end = Math.max(...data.marks.map(([at]) => at), data.at[last] || 0); // a death comes after the last sample
  let chart = null;

  const bytes = (value) => {
    if (value == null) return "–";
    for (const [unit, step] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]])
      if (Math.abs(value) >= step) return (value / step).toFixed(value < 100 * step ? 1 : 0) + " " + unit;
    return Math.round(value) + " bytes";
  };

  const ranAt = (at) => {
    let low = 0, high = data.running.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (data.running[middle][0] <= at) low = middle + 1; else high = middle;
    }
    return low ? data.running[low - 1][1] : "";
  };

  const tell = (index) => {
    if (index == null) { running.textContent = "\u00a0"; return; }
    const at = data.at[index], line = ranAt(at);
    const limit = data.limit[index];
    running.textContent =
      at.toFixed(1) + " s · " + bytes(data.program[index]) + (limit == null ? "" : " · limit " + bytes(limit)) +
      (line ? " · running " + line : "");
    place.setAttribute("aria-valuenow", String(at));
    place.setAttribute("aria-valuetext", running.textContent);
  };

  const drawMarks = (u) => {
    const context = u.ctx, style = getComputedStyle(root), ratio = devicePixelRatio;
    context.save();
    context.font = 12 * ratio + "px system-ui";
    let row = 0;
    for (const [at, label] of data.marks) {
      const x = u.valToPos(at, "x", true);
      if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
      context.strokeStyle = context.fillStyle = style.getPropertyValue("--red");
      context.setLineDash([4 * ratio, 4 * ratio]);
      context.beginPath();
      context.moveTo(x, u.bbox.top);
      context.lineTo(x, u.bbox.top + u.bbox.height);
      context.stroke();
      const left = x > u.bbox.left + u.bbox.width / 2;
      context.textAlign = left ? "right" : "left";
      context.fillText(label, x + (left ? -4 : 4) * ratio, u.bbox.top + (14 + 14 * (row++ % 6)) * ratio);
    }
    context.restore();
  };

  function drawCurve() {
    if (!place || !data.at.length || typeof uPlot === "undefined") return;
    if (chart) chart.destroy();
    const style = getComputedStyle(root), colour = (name) => style.getPropertyValue(name).trim();
    const axis = { stroke: colour("--dim"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") } };
    const value = (u, raw) => bytes(raw);
    const known = (values) => values.some((one) => one != null);
    const limit = (label, values) => ({
      label, stroke: colour("--red"), width: 2, dash: [8, 5], points: { show: false }, value, spanGaps: true, show: known(values),
    });
    const extra = [
      ["all that the machine could give", data.machine, true],
      ["address space", data.space, false],
      ["address space limit", data.space_limit, true],
    ].filter(([, values]) => known(values));
    chart = new uPlot(
      {
        width: place.clientWidth, height: 300,
        scales: { x: { time: false, range: (u, low, high) => (high === data.at[last] ? [low, Math.max(high, end)] : [low, high]) }, y: { range: (u, low, high) => [0, (high || 1) * 1.08] } },
        axes: [
          { ...axis, values: (u, splits) => splits.map((at) => +at.toFixed(3) + " s") },
          { ...axis, size: 76, values: (u, splits) => splits.map(bytes) },
        ],
        series: [
          { label: "time", value: (u, raw) => (raw == null ? "–" : raw.toFixed(1) + " s") },
          { label: "program and its children", stroke: colour("--blue"), width: 2, value },
          { label: "cgroup", stroke: colour("--green"), width: 1, value, show: known(data.group) },
          limit("limit", data.limit),
          ...extra.map(([label, values, isLimit]) =>
            isLimit ? limit(label, values) : { label, stroke: colour("--amber"), width: 1, value }),
        ],
        hooks: { setCursor: [(u) => tell(u.cursor.idx)], draw: [drawMarks] },
      },
      [data.at, data.program, data.group, data.limit, ...extra.map(([, values]) => values)],
      place,
    );
  }

  const zoom = (factor) => {
    const { min, max } = chart.scales.x, here = chart.cursor.idx == null ? (min + max) / 2 : data.at[chart.cursor.idx];
    chart.setScale("x", {
      min: Math.max(data.at[0], here - (here - min) * factor),
      max: Math.min(data.at[last], here + (max - here) * factor),
    });
  };
  const moveTo = (index) => {
    const at = Math.max(0, Math.min(last, index));
    chart.setCursor({ left: chart.valToPos(data.at[at], "x"), top: 10 });
    tell(at);
  };
  if (place && data.at.length) {
    // To a screen reader it is a slider over time: the arrow keys tell what there is at each moment.
    const about = { role: "slider", "aria-valuemin": data.at[0], "aria-valuemax": data.at[last], "aria-valuenow": data.at[last] };
    for (const [name, value] of Object.entries(about)) place.setAttribute(name, String(value));
    place.addEventListener("keydown", (event) => {
      if (!chart || event.ctrlKey || event.metaKey || event.altKey) return;
      const here = chart.cursor.idx == null ? data.at.length : chart.cursor.idx;
      const page = Math.max(1, Math.round(data.at.length / 10));
      const moves = {
        ArrowLeft: here - 1, ArrowRight: here + 1, ArrowDown: here - 1, ArrowUp: here + 1,
        PageDown: here - page, PageUp: here + page, Home: 0, End: last,
      };
      if (event.key in moves) { event.preventDefault(); moveTo(moves[event.key]); }
      if (event.key === "+" || event.key === "=") zoom(0.5);
      if (event.key === "-") zoom(2);
      if (event.key === "Escape") chart.setScale("x", { min: data.at[0], max: data.at[last] });
    });
    addEventListener("resize", () => chart && chart.setSize({ width: place.clientWidth, height: 300 }));
  }
  drawCurve();
})();
