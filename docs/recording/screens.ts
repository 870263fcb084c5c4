// Computes the content of a terminal over time from the output of a local run. Pure. Supports only the output of
// local/view/live.ts: lines, colours, "up n lines", "clear to the end", and the cursor's visibility.

export interface Written {
  readonly ms: number;
  readonly text: string;
}

export interface Screen {
  readonly ms: number;
  /** Lines with the escape sequences of colours. */
  readonly lines: readonly string[];
}

// https://www.ecma-international.org/publications-and-standards/standards/ecma-48/
const esc = String.fromCodePoint(27);
const up = new RegExp(`\\r${esc}\\[(\\d+)A`);
const endOfFrame = `${esc}[?25h`;
const ignored = new RegExp(`${esc}\\[(?:\\?25[lh]|J)|\\r`, 'g');

/** Returns one screen for each drawn frame. Each screen has at most `rows` lines: the last ones. */
export function toScreens(writes: readonly Written[], rows: number): readonly Screen[] {
  let lines: readonly string[] = [];
  return toFrames(writes).map(({ ms, text }) => {
    const drawnOver = Number(up.exec(text)?.[1] ?? 0);
    const kept = lines.slice(0, Math.max(0, lines.length - drawnOver));
    lines = [...kept, ...text.replace(up, '').replaceAll(ignored, '').split('\n').slice(0, -1)];
    return { ms, lines: lines.slice(-rows) };
  });
}

/** A write may contain several frames, or a part of one. */
function toFrames(writes: readonly Written[]): readonly Written[] {
  const frames: Written[] = [];
  let begun = '';
  for (const { ms, text } of writes) {
    const parts = `${begun}${text}`.split(endOfFrame);
    begun = parts.at(-1) ?? '';
    frames.push(...parts.slice(0, -1).map(part => ({ ms, text: part })));
  }
  return frames;
}

/**
 * Returns at most one screen per `everyMs`, and no equal screens in sequence. A screen is shown for at most
 * `longestMs`. The recording begins at 0.
 */
export function thin(
  screens: readonly Screen[],
  { everyMs, longestMs }: { readonly everyMs: number; readonly longestMs: number },
): readonly Screen[] {
  const changed = screens.filter(({ lines }, at) => at === 0 || lines.join('\n') !== screens[at - 1]?.lines.join('\n'));
  const kept = changed.filter(
    ({ ms }, at) =>
      at === changed.length - 1 || Math.floor(ms / everyMs) !== Math.floor((changed[at + 1]?.ms ?? 0) / everyMs),
  );
  let before = kept[0]?.ms ?? 0;
  let shown = 0;
  return kept.map(({ ms, lines }) => {
    shown += Math.min(ms - before, longestMs);
    before = ms;
    return { ms: shown, lines };
  });
}

/**
 * Returns at most `count` screens, so that the size of the picture does not depend on the speed of the machine. Keeps
 * the first screens and the last one. The times have the gaps of `screens`.
 */
export function atMost(screens: readonly Screen[], count: number): readonly Screen[] {
  const start = Math.floor(count / 2);
  const step = Math.ceil((screens.length - start) / (count - start));
  const kept = screens.filter((_, at) => at < start || (screens.length - 1 - at) % step === 0);
  return kept.map(({ lines }, at) => ({ ms: screens[at]?.ms ?? 0, lines }));
}
