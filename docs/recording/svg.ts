// Converts a recording of a terminal to an animated SVG with plain text. It supports light and dark mode and reduced
// motion. Pure.
import type { Screen } from './screens.ts';

export interface Capture {
  /** The command that was typed. */
  readonly command: string;
  readonly columns: number;
  readonly screens: readonly Screen[];
}

const charWidth = 7.2;
const lineHeight = 17;
const margin = 14;
const titleHeight = 28;
/** The time for which the last screen is shown before the recording begins again. */
const restMs = 6000;

/** A sequence of characters with one style, at a column. */
interface Run {
  readonly column: number;
  readonly text: string;
  readonly style: string;
}

const styles: Readonly<Record<string, string>> = { 1: 'b', 2: 'd', 31: 'r', 32: 'g', 33: 'y', 36: 'c' };
const esc = String.fromCodePoint(27);

export function toSvg(capture: Capture): string {
  const { command, columns, screens } = capture;
  const rows = Math.max(...screens.map(({ lines }) => lines.length)) + 1;
  const width = Math.round(columns * charWidth + 2 * margin);
  const height = titleHeight + rows * lineHeight + margin;
  const prompt = toText({ row: 0, runs: toRuns(`${esc}[32m$${esc}[0m ${command}`, columns) });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">`,
    `<title id="title">A terminal: ${escapeXml(command)} makes the Clusters of the examples Provisioned</title>`,
    `<style>${toStyle(screens)}</style>`,
    `<rect class="window" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    ...[0, 1, 2].map(at => `<circle class="button" cx="${margin + 4 + at * 16}" cy="15" r="5"/>`),
    prompt,
    ...screens.map(({ lines }, at) =>
      toGroup(
        at,
        lines.map(line => toRuns(line, columns)),
      ),
    ),
    '</svg>',
    '',
  ].join('\n');
}

function toGroup(at: number, lines: readonly (readonly Run[])[]): string {
  const texts = lines.map((runs, row) => toText({ row: row + 1, runs }));
  return [`<g class="screen" id="s${at}">`, ...texts.filter(text => text !== ''), '</g>'].join('\n');
}

function toText({ row, runs }: { readonly row: number; readonly runs: readonly Run[] }): string {
  const y = titleHeight + (row + 1) * lineHeight - 4;
  const spans = runs.map(({ column, text, style }) => {
    const x = (margin + column * charWidth).toFixed(1);
    return `<tspan x="${x}"${style === '' ? '' : ` class="${style}"`}>${escapeXml(text)}</tspan>`;
  });
  return spans.length === 0 ? '' : `<text y="${y}">${spans.join('')}</text>`;
}

/**
 * Each sequence has its own column, so that fonts with different character widths do not move later text. A line ends
 * at the last column.
 */
function toRuns(line: string, columns: number): readonly Run[] {
  const runs: Run[] = [];
  let style = '';
  let column = 0;
  for (const part of line.split(new RegExp(`(${esc}\\[\\d+m)`))) {
    const code = part.startsWith(esc) ? part.slice(2, -1) : undefined;
    if (code !== undefined) {
      style = styles[code] ?? '';
      continue;
    }
    for (const [word] of part.matchAll(/\S+(?: \S+)*| {2,}|^ | $/g)) {
      runs.push({ column, text: word, style });
      column += word.length;
    }
  }
  const within = runs.map(run => ({ ...run, text: run.text.slice(0, Math.max(0, columns - run.column)) }));
  return within.filter(({ text }) => text.trim() !== '');
}

function toStyle(screens: readonly Screen[]): string {
  const totalMs = (screens.at(-1)?.ms ?? 0) + restMs;
  const last = screens.length - 1;
  const animations = screens.map(({ ms }, at) => {
    const from = toPercent(ms, totalMs);
    const to = toPercent(at === last ? totalMs : (screens[at + 1]?.ms ?? totalMs), totalMs);
    const hiddenBefore = at === 0 ? '' : '0%{visibility:hidden}';
    const hiddenAfter = at === last ? '' : `${to}{visibility:hidden}`;
    return `@keyframes k${at}{${hiddenBefore}${from}{visibility:visible}${hiddenAfter}}#s${at}{animation:k${at} ${totalMs}ms step-end infinite}`;
  });
  return [
    'text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:#1f2328}',
    '.window{fill:#f6f8fa;stroke:#d0d7de}.button{fill:#d0d7de}',
    '.b{font-weight:bold}.d{fill:#656d76}.r{fill:#b3261e}.g{fill:#1a7f37}.y{fill:#8a6100}.c{fill:#0a6c74}',
    '@media(prefers-color-scheme:dark){text{fill:#e6edf3}.window{fill:#0d1117;stroke:#30363d}.button{fill:#30363d}.d{fill:#8d96a0}.r{fill:#ff7b72}.g{fill:#3fb950}.y{fill:#d29922}.c{fill:#39c5cf}}',
    `.screen{visibility:hidden}#s${last}{visibility:visible}`,
    `@media(prefers-reduced-motion:no-preference){${animations.join('')}}`,
  ].join('');
}

function toPercent(ms: number, totalMs: number): string {
  return `${((100 * ms) / totalMs).toFixed(2)}%`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
