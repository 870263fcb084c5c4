// The result of a finished step, as a line of a file and as a row of a table.
import * as z from 'zod/mini';

const schema = z.object({
  name: z.string(),
  passed: z.boolean(),
  seconds: z.number(),
  /** The user and system time of the step and all its child processes. */
  processorSeconds: z.number(),
});

export type StepResult = Readonly<z.infer<typeof schema>>;

export function toLine(result: StepResult): string {
  return `${JSON.stringify(result)}\n`;
}

export function parseLine(line: string): StepResult {
  return schema.parse(JSON.parse(line));
}

/** Returns the steps in the order in which they ended. */
export function toTable(results: readonly StepResult[]): readonly string[] {
  const width = Math.max(4, ...results.map(({ name }) => name.length));
  const row = (name: string, status: string, seconds: string, processor: string): string =>
    [name.padEnd(width), status.padEnd(6), seconds.padStart(7), processor.padStart(9)].join('  ');
  return [
    row('step', '', 'seconds', 'processor'),
    ...results.map(({ name, passed, seconds, processorSeconds }) =>
      row(name, passed ? 'passed' : 'failed', String(seconds), String(processorSeconds)),
    ),
  ];
}
