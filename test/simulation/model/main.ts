// `npm run simulate:queues`: runs the small model of the queue design for every variant and prints the table.
import { parseArgs } from 'node:util';
import { compare, type Figures } from './compare.ts';
import { toCount, toTable } from './table.ts';
import { variants } from './variants.ts';

const help = `Usage: npm run simulate:queues -- [--runs N] [--variant NAME]

Simulates sources, queues, functions and timers under faults, N times for each queue design (default 20000), and
prints how many runs lost a change, lost a timer or reconciled one object twice at a time. Run n is seeded with n.

  --runs N        how many runs of each variant
  --variant NAME  only this one; may be given several times
`;
const defaultRuns = '20000';
const sayEveryMs = 5_000;

function parse(args: readonly string[]) {
  const options = {
    runs: { type: 'string' },
    variant: { type: 'string', multiple: true },
    help: { type: 'boolean' },
  } as const;
  const { values } = parseArgs({ args: [...args], strict: true, options });
  const runs = Number(values.runs ?? defaultRuns);
  if (!Number.isInteger(runs) || runs < 1) {
    throw new Error(`--runs must be a whole number from 1, got "${values.runs}"`);
  }
  const unknown = values.variant?.find(name => variants.every(variant => variant.name !== name));
  if (unknown !== undefined) {
    throw new Error(`There is no variant "${unknown}"; there are: ${variants.map(({ name }) => name).join('; ')}`);
  }
  return {
    runs,
    help: values.help === true,
    chosen: variants.filter(({ name }) => values.variant?.includes(name) ?? true),
  };
}

async function main(args: readonly string[]): Promise<void> {
  const { runs, chosen, help: asked } = parse(args);
  if (asked) {
    process.stdout.write(help);
    return;
  }
  const all: Figures[] = [];
  let saidAt = Date.now();
  for (const variant of chosen) {
    const progress = (done: number): void => {
      if (done === runs || Date.now() - saidAt >= sayEveryMs) {
        saidAt = Date.now();
        process.stderr.write(`${variant.name}: ${toCount(done)} of ${toCount(runs)} runs\n`);
      }
    };
    all.push(await compare(variant, runs, progress));
  }
  process.stdout.write(toTable(all));
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`simulate:queues: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
