// The map: points on a canvas, moved and zoomed, with a query and its hits, and the names of clusters.
(() => {
  "use strict";
  const area = document.querySelector("[data-map]");
  if (!area) return;
  const canvas = area.querySelector("canvas");
  const context = canvas.getContext("2d");
  const tip = area.querySelector("[data-tip]");
  const labels = area.querySelector("[data-labels]");
  let points = { count: 0 };
  let query = null;
  let clusters = [];
  let view = { scale: 1, x: 0, y: 0 };
  let drawn = false;
  let selected = -1;
  const shown = new Set();
  const marked = new Set();
  let colours = [];
  const COLOURS = 12;

  const size = () => {
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const { width, height } = canvas.getBoundingClientRect();
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    return { width, height, ratio };
  };
  let box = size();
  const fit = () => Math.min(box.width, box.height) * 0.47;
  const spread = () => Math.max(1, Math.min(2, box.width / box.height));
  const toX = (x) => box.width / 2 + (x * spread() * fit()) * view.scale + view.x;
  const toY = (y) => box.height / 2 - y * fit() * view.scale + view.y;

  const readColours = () => {
    const style = getComputedStyle(document.documentElement);
    colours = Array.from({ length: 12 }, (_, at) => style.getPropertyValue(`--c${at}`).trim());
    colours.text = style.getPropertyValue("--text").trim();
    colours.surface = style.getPropertyValue("--surface").trim();
    colours.near = style.getPropertyValue("--bad").trim();
    colours.isolated = style.getPropertyValue("--text").trim();
  };

  const draw = () => {
    drawn = false;
    context.setTransform(box.ratio, 0, 0, box.ratio, 0, 0);
    context.clearRect(0, 0, box.width, box.height);
    const { count, x, y, owner, mark } = points;
    const dot = Math.max(1.2, Math.min(5, (count > 20000 ? 1.5 : 2.4) * Math.sqrt(view.scale)));
    context.globalAlpha = query ? 0.28 : count > 20000 ? 0.6 : 0.75;
    for (let wanted = 0; wanted < COLOURS; wanted++) {
      context.fillStyle = colours[wanted];
      for (let at = 0; at < count; at++) {
        if (owner[at] % COLOURS !== wanted || !shown.has(owner[at])) continue;
        const px = toX(x[at]);
        const py = toY(y[at]);
        if (px < -4 || py < -4 || px > box.width + 4 || py > box.height + 4) continue;
        context.fillRect(px - dot / 2, py - dot / 2, dot, dot);
      }
    }
    context.globalAlpha = query ? 0.3 : 0.85;
    for (const bit of marked) {
      context.strokeStyle = bit === 1 ? colours.near : colours.isolated;
      context.lineWidth = 1.2;
      for (let at = 0; at < count; at++) {
        if (mark[at] & bit && shown.has(owner[at])) ring(toX(x[at]), toY(y[at]), bit === 1 ? dot + 0.8 : dot + 2.4);
      }
    }
    context.globalAlpha = 1;
    if (query) drawQuery();
    if (selected >= 0) {
      context.strokeStyle = colours.text;
      context.lineWidth = 2;
      ring(toX(x[selected]), toY(y[selected]), dot + 4);
    }
    drawLabels();
  };
  const ring = (x, y, radius) => {
    context.beginPath();
    context.arc(x, y, radius, 0, 7);
    context.stroke();
  };
  const drawQuery = () => {
    const qx = toX(query.place[0]);
    const qy = toY(query.place[1]);
    context.strokeStyle = colours.text;
    context.lineWidth = 1;
    query.hits.forEach((hit, rank) => {
      const x = toX(points.x[hit.row]);
      const y = toY(points.y[hit.row]);
      context.globalAlpha = 0.35;
      context.beginPath();
      context.moveTo(qx, qy);
      context.lineTo(x, y);
      context.stroke();
      context.globalAlpha = 1;
      context.fillStyle = colours[points.owner[hit.row] % COLOURS];
      context.beginPath();
      context.arc(x, y, 9, 0, 7);
      context.fill();
      context.fillStyle = colours.surface;
      context.font = "700 10px system-ui";
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.fillText(String(rank + 1), x, y + 0.5);
    });
    context.fillStyle = colours.text;
    context.save();
    context.translate(qx, qy);
    context.rotate(Math.PI / 4);
    context.fillRect(-6, -6, 12, 12);
    context.restore();
  };
  const drawLabels = () => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const taken = [];
    if (!query) for (const each of clusters) {
      const x = toX(each.x);
      const y = toY(each.y);
      const half = each.name.length * 3.4;
      const free = taken.every((other) => Math.abs(other.x - x) > other.half + half || Math.abs(other.y - y) > 16);
      if (!free || x < half || y < 14 || x > box.width - half || y > box.height - 8) continue;
      taken.push({ x, y, half });
      const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
      text.setAttribute("x", x);
      text.setAttribute("y", y);
      text.setAttribute("text-anchor", "middle");
      text.textContent = each.name;
      svg.append(text);
    }
    labels.replaceChildren(svg);
  };
  const redraw = () => {
    if (!drawn) {
      drawn = true;
      requestAnimationFrame(draw);
    }
    clearTimeout(writing);
    writing = setTimeout(write, 250);
  };

  // The address says what is seen: place and zoom, what is hidden, which marks are off, which point is open.
  let writing = 0;
  let read = false;
  const spreadX = () => spread() * fit() * view.scale;
  const write = () => {
    if (!read) return;
    const params = new URLSearchParams(location.search);
    const put = (name, value) => (value ? params.set(name, value) : params.delete(name));
    const off = (selector) => [...document.querySelectorAll(selector)].filter((each) => !each.checked).map((each) => each.dataset.name);
    const isWhole = view.scale === 1 && !view.x && !view.y;
    put("at", isWhole ? "" : [-view.x / spreadX(), view.y / (fit() * view.scale), view.scale].map((each) => each.toFixed(6)).join(","));
    put("hide", off("[data-owner]").join(","));
    put("unmarked", off("[data-mark]").join(","));
    put("row", selected >= 0 ? String(selected) : "");
    const text = params.toString();
    const url = location.pathname + (text ? `?${text}` : "");
    if (url !== location.pathname + location.search) history.replaceState(null, "", url);
    for (const name of ["at", "hide", "unmarked"]) keep(name, params.get(name));
  };
  // A new query is drawn into the same view.
  const keep = (name, value) => {
    const form = document.querySelector("form[role=search]");
    let input = form.querySelector(`input[name=${name}]`);
    if (!value) input?.remove();
    else {
      if (!input) {
        input = document.createElement("input");
        input.type = "hidden";
        input.name = name;
        form.append(input);
      }
      input.value = value;
    }
  };
  const readAddress = () => {
    const params = new URLSearchParams(location.search);
    const place = (params.get("at") || "").split(",").map(Number);
    if (place.length === 3 && place.every(Number.isFinite) && place[2] > 0) {
      view.scale = Math.max(0.5, Math.min(200, place[2]));
      view.x = -place[0] * spreadX();
      view.y = place[1] * fit() * view.scale;
    }
    const off = (name) => (params.get(name) || "").split(",");
    const [hidden, unmarked] = [off("hide"), off("unmarked")];
    document.querySelectorAll(".legend input").forEach((input) => {
      input.checked = !(input.dataset.owner ? hidden : unmarked).includes(input.dataset.name);
      input.dispatchEvent(new Event("change"));
    });
    read = true;
    const row = params.get("row");
    if (/^\d{1,9}$/.test(row || "") && Number(row) < points.count) show(Number(row));
  };

  const zoom = (factor, x = box.width / 2, y = box.height / 2) => {
    const scale = Math.max(0.5, Math.min(200, view.scale * factor));
    const by = scale / view.scale;
    view.x = (view.x + box.width / 2 - x) * by - box.width / 2 + x;
    view.y = (view.y + box.height / 2 - y) * by - box.height / 2 + y;
    view.scale = scale;
    redraw();
  };
  const nearest = (px, py, reach = 12) => {
    let best = -1;
    let distance = reach * reach;
    for (let at = 0; at < points.count; at++) {
      if (!shown.has(points.owner[at])) continue;
      const dx = toX(points.x[at]) - px;
      const dy = toY(points.y[at]) - py;
      const found = dx * dx + dy * dy;
      if (found < distance) {
        distance = found;
        best = at;
      }
    }
    return best;
  };
  const show = async (row) => {
    selected = row;
    redraw();
    if (row < 0) {
      tip.hidden = true;
      return;
    }
    const join = area.dataset.point.includes("?") ? "&" : "?";
    const answer = await fetch(`${area.dataset.point}${join}row=${row}`);
    if (!answer.ok || selected !== row) return;
    const found = await answer.json();
    const title = document.createElement("strong");
    const link = document.createElement("a");
    link.href = found.url;
    link.textContent = found.title || "chunk";
    title.append(link);
    const text = document.createElement("p");
    text.textContent = `${found.collection}: ${found.text}`;
    tip.replaceChildren(title, text);
    tip.hidden = false;
  };

  let dragged = null;
  const held = new Map();
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    dragged = { x: event.offsetX, y: event.offsetY, far: 0 };
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = held.get(event.pointerId);
    if (!before || !dragged) return;
    const now = { x: event.offsetX, y: event.offsetY };
    if (held.size === 2) {
      const other = [...held].find(([id]) => id !== event.pointerId)[1];
      const was = Math.hypot(before.x - other.x, before.y - other.y) || 1;
      zoom(Math.hypot(now.x - other.x, now.y - other.y) / was, (now.x + other.x) / 2, (now.y + other.y) / 2);
    } else {
      view.x += now.x - before.x;
      view.y += now.y - before.y;
    }
    dragged.far += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    held.set(event.pointerId, now);
    redraw();
  });
  const release = (event) => {
    held.delete(event.pointerId);
    if (dragged && dragged.far < 5 && event.type === "pointerup") show(nearest(event.offsetX, event.offsetY));
    if (!held.size) dragged = null;
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
  }, { passive: false });
  const all = () => {
    view = { scale: 1, x: 0, y: 0 };
    redraw();
  };
  canvas.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    if (steps[event.key]) {
      view.x += steps[event.key][0];
      view.y += steps[event.key][1];
      redraw();
    } else if (event.key === "+" || event.key === "=") zoom(1.4);
    else if (event.key === "-") zoom(1 / 1.4);
    else if (event.key === "0") all();
    else if (event.key === "Enter") show(nearest(box.width / 2, box.height / 2, Infinity));
    else return;
    event.preventDefault();
  });
  area.querySelectorAll("[data-zoom]").forEach((button) => button.addEventListener("click", () => {
    if (button.dataset.zoom === "all") all();
    else zoom(button.dataset.zoom === "in" ? 1.6 : 1 / 1.6);
  }));
  document.querySelectorAll(".legend input").forEach((input) => {
    const change = () => {
      const set = input.dataset.owner ? shown : marked;
      const value = Number(input.dataset.owner || input.dataset.mark);
      if (input.checked) set.add(value);
      else set.delete(value);
      redraw();
    };
    input.addEventListener("change", change);
    if (input.checked) change();
  });
  document.addEventListener("kbc:loaded", () => {
    clusters = [...document.querySelectorAll("[data-cluster-list] li")].map((each) => ({
      name: each.dataset.name, x: Number(each.dataset.x), y: Number(each.dataset.y),
    }));
    redraw();
  });
  document.addEventListener("kbc:theme", () => {
    readColours();
    redraw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    readColours();
    redraw();
  });
  new ResizeObserver(() => {
    const before = { x: spreadX(), y: fit() };
    box = size();
    if (before.x > 0) {
      view.x *= spreadX() / before.x; // what was in the middle stays there
      view.y *= fit() / before.y;
    }
    redraw();
  }).observe(area);

  const listHits = (hits) => {
    const place = document.querySelector("[data-hits]");
    place.querySelector("ol").replaceChildren(...hits.map((hit) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = hit.url;
      link.textContent = hit.title;
      link.dataset.item = "";
      item.append(link);
      return item;
    }));
    place.hidden = !hits.length;
  };

  const start = async () => {
    readColours();
    const answer = await fetch(area.dataset.points);
    if (!answer.ok) return;
    const data = await answer.arrayBuffer();
    const count = data.byteLength / 6;
    const x = Float32Array.from(new Int16Array(data, 0, count), (value) => value / 32767);
    const y = Float32Array.from(new Int16Array(data, 2 * count, count), (value) => value / 32767);
    points = { count, x, y, owner: new Uint8Array(data, 4 * count, count), mark: new Uint8Array(data, 5 * count, count) };
    area.dataset.ready = String(count);
    readAddress();
    redraw();
    if (area.dataset.query) {
      const found = await (await fetch(area.dataset.query)).json();
      if (found.place) query = found;
      listHits(found.hits);
      area.dataset.drawn = String(found.hits.length);
      redraw();
    }
  };
  start();
})();
