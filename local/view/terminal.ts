// Determines whether standard output is a terminal, with its size and colours.

export interface OutputTerminal {
  write(text: string): void;
  columns(): number;
  rows(): number;
  readonly color: boolean;
}

interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** The assumed size of a terminal that reports no size. */
const usual = { columns: 80, rows: 24 } as const;

/**
 * Returns `undefined` for files, pipes and terminals that cannot move the cursor. There are no colours if NO_COLOR is
 * set (https://no-color.org).
 */
export function terminalOf(
  stream: Stream,
  env: Readonly<Record<string, string | undefined>>,
): OutputTerminal | undefined {
  if (stream.isTTY !== true || env['TERM'] === 'dumb') {
    return undefined;
  }
  return {
    write: text => void stream.write(text),
    columns: () => stream.columns || usual.columns,
    rows: () => stream.rows || usual.rows,
    color: (env['NO_COLOR'] ?? '') === '',
  };
}
