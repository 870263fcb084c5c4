// `npm run test:planted [-- --rotating | NAME…]`: the simulation must detect every inserted bug, and must pass without
// bugs. `--rotating` takes a sixth of the bugs, another one for each commit.
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compileCache } from '../../support/compile-cache.ts';
import { describeRotation, itemsOf, rotationOf } from '../../support/rotation.ts';
import { campaign, describeFailures } from '../campaign.ts';
import type { Trial } from '../trial.ts';
import { endWorkers } from '../workers.ts';
import type { PlantedBug } from './bug.ts';
import { bugNamed, bugs } from './bugs/index.ts';
import type { Hunt } from './hunt.ts';

const preload = new URL('./preload.ts', import.meta.url).href;
const hunter = fileURLToPath(new URL('./hunt.ts', import.meta.url));
const longestProblem = 110;

interface Row {
  readonly bug: PlantedBug;
  readonly hunt: Hunt;
}

/** Throws if the bug cannot be inserted, or if its process fails. */
async function hunt(bug: PlantedBug): Promise<Row> {
  const env = { ...process.env, ...compileCache, CAPI_PLANTED_BUG: bug.name };
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', preload, hunter], { env });
  const found: Hunt = JSON.parse(stdout); // true: the child process writes nothing else
  process.stderr.write(
    `${bug.name}: ${found.caught === undefined ? 'NOT CAUGHT' : `seed ${found.caught.trial.seed}`}\n`,
  );
  return { bug, hunt: found };
}

async function huntAll(chosen: readonly PlantedBug[]): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const left = chosen.values();
  const hunters = Array.from({ length: availableParallelism() }, async () => {
    for (const bug of left) {
      rows.push(await hunt(bug));
    }
  });
  await Promise.all(hunters);
  return chosen.flatMap(bug => rows.filter(row => row.bug === bug));
}

/** The trials up to the one that detected the bug, without duplicates. */
function trialsOf(rows: readonly Row[]): readonly Trial[] {
  const trials = rows.flatMap(({ bug, hunt: { caught } }) =>
    Array.from({ length: caught?.trial.seed ?? 0 }, (_, index): Trial => {
      const workload = bug.workloads[index % bug.workloads.length] ?? bug.workloads[0];
      return { workload, seed: index + 1, plan: bug.plan };
    }),
  );
  return [...new Map(trials.map(trial => [JSON.stringify(trial), trial])).values()];
}

function toLine({ bug, hunt: { caught } }: Row): string {
  const problem = caught?.problem.replaceAll(/\s+/g, ' ').slice(0, longestProblem);
  const seen = caught === undefined ? 'not caught' : `${caught.trial.seed} | ${problem}`;
  return `| ${bug.name} | ${seen} |\n`;
}

function chosenBugs(args: readonly string[]): readonly PlantedBug[] {
  if (args.includes('--rotating')) {
    const rotation = rotationOf(6);
    process.stdout.write(`${describeRotation('Planted bugs', rotation)}\n`);
    return itemsOf(bugs, rotation);
  }
  return args.length === 0 ? bugs : args.map(bugNamed);
}

async function main(names: readonly string[]): Promise<number> {
  const rows = await huntAll(chosenBugs(names));
  const unpatched = await campaign(trialsOf(rows));
  await endWorkers();
  const missed = rows.filter(({ hunt: { caught } }) => caught === undefined);
  process.stdout.write(`| bug | seeds until caught | seen as |\n|---|---:|---|\n${rows.map(toLine).join('')}`);
  process.stdout.write(`${rows.length - missed.length} of ${rows.length} planted bugs were caught\n`);
  for (const { bug } of missed) {
    process.stdout.write(`FAILED ${bug.name}: was not caught; run alone: npm run test:planted -- ${bug.name}\n`);
  }
  process.stdout.write(
    `${unpatched.judged - unpatched.failures.length} of ${unpatched.judged} of the same runs pass without them\n`,
  );
  process.stdout.write(unpatched.failures.length === 0 ? '' : `${describeFailures(unpatched)}\n`);
  return missed.length === 0 && unpatched.failures.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
