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

/** The budget of a step in processor seconds. */
export type BudgetOf = (name: string) => number | undefined;

/** Returns the steps in the order in which they ended, and their sum. */
export function toTable(results: readonly StepResult[], budgetOf: BudgetOf): readonly string[] {
  const width = Math.max(4, ...results.map(({ name }) => name.length));
  const row = (name: string, status: string, figures: readonly string[]): string =>
    [name.padEnd(width), status.padEnd(6), ...figures.map(figure => figure.padStart(9))].join('  ').trimEnd();
  const sum = (of: (step: StepResult) => number): string =>
    String(results.reduce((total, step) => total + of(step), 0));
  return [
    row('step', '', ['seconds', 'processor', 'budget']),
    ...results.map(({ name, passed, seconds, processorSeconds }) =>
      row(name, passed ? 'passed' : 'failed', [
        String(seconds),
        String(processorSeconds),
        toBudget(budgetOf(name), processorSeconds),
      ]),
    ),
    row('sum', '', ['', sum(step => step.processorSeconds), toSumOfBudgets(results, budgetOf)]),
  ];
}

function toBudget(budget: number | undefined, processorSeconds: number): string {
  if (budget === undefined) {
    return '';
  }
  return processorSeconds > budget ? `over ${budget}` : String(budget);
}

function toSumOfBudgets(results: readonly StepResult[], budgetOf: BudgetOf): string {
  const total = results.reduce((sum, { name }) => sum + (budgetOf(name) ?? 0), 0);
  return total === 0 ? '' : String(total);
}
