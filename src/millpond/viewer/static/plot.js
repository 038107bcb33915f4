// Plot: bytes and tokens that were kept out of the conversation over time, beside what went in instead.
import {html, useLayoutEffect, useRef, useState} from "./view.js";
import {BYTES_A_TOKEN, clock, size, tokens} from "./text.js";

const HEIGHT = 176;
const LEFT = 56;
const RIGHT = 50;
const TOP = 24;
const BOTTOM = 24;
const PADDING = 12; // As in the style sheet.
const KIB = 1024;

/** A round step of which about four reach the largest. */
function step(largest) {
  const rough = Math.max(largest / 4, 0.25);
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((value) => value >= rough);
}

/** Round sizes from 0 on; the last one is at least the largest. */
export function ticks(largest) {
  const unit = largest >= KIB * KIB ? KIB * KIB : largest >= KIB ? KIB : 1;
  const one = step(largest / unit) * unit;
  return Array.from({length: Math.ceil(largest / one) + 1}, (_, at) => at * one);
}

/** Round numbers of tokens up to so many bytes, each as the bytes it stands for. */
function tokenTicks(bytes) {
  const one = Math.max(1, step(bytes / BYTES_A_TOKEN));
  return Array.from({length: Math.floor(bytes / BYTES_A_TOKEN / one) + 1}, (_, at) => at * one * BYTES_A_TOKEN);
}

/** Sums after each entry: `{time, out, back}` in milliseconds and bytes. */
export function points(known) {
  const begin = Date.parse(known.hello?.began ?? "") || 0;
  let out = known.gone.came_bytes - known.gone.sent_bytes;
  let back = known.gone.sent_bytes + known.gone.answer_bytes;
  const found = [{time: begin, out, back}];
  const entries = [...known.entries.values()].filter((entry) => entry.state !== "storing");
  for (const entry of entries.sort((a, b) => Date.parse(a.time) - Date.parse(b.time))) {
    if (entry.kind === "query") back += entry.bytes;
    else {
      out += entry.bytes - entry.sent_bytes;
      back += entry.sent_bytes;
    }
    found.push({time: Math.max(begin, Date.parse(entry.time) || begin), out, back});
  }
  return found;
}

function useWidth() {
  const box = useRef(null);
  const [width, setWidth] = useState(400);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => setWidth(box.current.clientWidth - 2 * PADDING));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return [box, width];
}

export function Plot({known}) {
  const [box, width] = useWidth();
  const found = points(known);
  const end = found.at(-1);
  const levels = ticks(Math.max(end.out, end.back, KIB));
  const [begin, until] = [found[0].time, Math.max(end.time, found[0].time + 1000)];
  const pad = (until - begin) * 0.04;
  const x = (time) => LEFT + ((time - begin) / (until - begin + pad)) * Math.max(1, width - LEFT - RIGHT);
  const y = (bytes) => HEIGHT - BOTTOM - (bytes / levels.at(-1)) * (HEIGHT - TOP - BOTTOM);
  const line = (of) => {
    const steps = found.map((point, at) => (at ? `H${x(point.time).toFixed(1)}V${y(of(point)).toFixed(1)}` : `M${x(point.time)} ${y(of(point)).toFixed(1)}`));
    return `${steps.join("")}H${x(until + pad).toFixed(1)}`;
  };
  const out = line((point) => point.out);
  const marks = [0, 1 / 2, 1];
  const said = `${size(end.out)} (about ${tokens(end.out)} tokens) kept out, ${size(end.back)} went in instead`;
  return html`<figure class="plot" ref=${box}>
    <figcaption>
      <span><i class="swatch out"></i>kept out of the conversation</span>
      <span><i class="swatch back"></i>went in: results, handles, answers</span>
    </figcaption>
    <svg width=${width} height=${HEIGHT} role="img" aria-label=${`Over time: ${said}`}>
      ${levels.map(
        (bytes) => html`<g key=${bytes}>
          <line class="rule" x1=${LEFT} x2=${width - RIGHT} y1=${y(bytes)} y2=${y(bytes)} />
          <text class="mark" x=${LEFT - 7} y=${y(bytes) + 3.5} text-anchor="end">${size(bytes)}</text>
        </g>`,
      )}
      ${tokenTicks(levels.at(-1)).map(
        (bytes) => html`<g key=${bytes}>
          <line class="tick" x1=${width - RIGHT} x2=${width - RIGHT + 4} y1=${y(bytes)} y2=${y(bytes)} />
          <text class="mark" x=${width - RIGHT + 8} y=${y(bytes) + 3.5}>${tokens(bytes)}</text>
        </g>`,
      )}
      <text class="unit" x=${LEFT - 7} y="9" text-anchor="end">bytes</text>
      <text class="unit" x=${width} y="9" text-anchor="end">tokens, about</text>
      ${marks.map((part) => {
        const time = begin + part * (until - begin);
        const anchor = part === 0 ? "start" : part === 1 ? "end" : "middle";
        return html`<text key=${part} class="mark" x=${x(time)} y=${HEIGHT - 6} text-anchor=${anchor}>${clock(time)}</text>`;
      })}
      <path class="area" d=${`${out}V${y(0)}H${x(begin)}Z`} />
      <path class="line out" d=${out} />
      <path class="line back" d=${line((point) => point.back)} />
    </svg>
  </figure>`;
}
