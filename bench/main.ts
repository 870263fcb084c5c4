// `npm run bench`: measures this project and a baseline in the same run. It prints figures and asserts nothing.
import { once } from 'node:events';
import { availableParallelism, loadavg } from 'node:os';
import { text } from 'node:stream/consumers';
import { UsageError } from '../local/usage-error.ts';
import { findControlPlaneBinaries } from '../test/support/control-plane-binaries.ts';
import { canHaveOwnNetwork, isInOwnNetwork, spawnInOwnNetwork } from '../test/support/own-network.ts';
import { prepareUpstream } from '../test/upstream-manager/manager.ts';
import { fullSizes as fullRequests, measureApiServers, quickSizes as quickRequests } from './apiserver/apiserver.ts';
import { fullCounts, measureClusters, quickCounts } from './clusters/clusters.ts';
import { measureColdStart } from './cold-start/cold-start.ts';
import { measureCommands } from './commands/commands.ts';
import {
  fullSizes as fullInvocations,
  measureLambda,
  quickSizes as quickInvocations,
} from './lambda/measure-lambda.ts';
import { measureLatency } from './latency/latency.ts';
import { fullSizes as fullMachines, measureMachines, quickSizes as quickMachines } from './machines/machines.ts';
import { measureMemory } from './memory/memory.ts';
import { measureNodeWatches } from './node-watches/node-watches.ts';
import { help, type Options, parseOptions, type SectionName } from './options.ts';
import { fullSizes as fullPages, measurePage, quickSizes as quickPages } from './page/page.ts';
import { fullSizes as fullClusters, measurePlain, quickSizes as quickClusters } from './plain/plain.ts';
import { type BenchEnvironment, toJson, toText } from './print.ts';
import { fullSizes as fullRollouts, measureRollout, quickSizes as quickRollouts } from './rollout/rollout.ts';
import type { Section } from './section.ts';
import { fullPatches, measurePatches, quickPatches } from './topology-patches/topology-patches.ts';
import { fullUnits, measureUnits, quickUnits } from './units/units.ts';
import { fullSizes as fullReviews, measureWebhooks, quickSizes as quickReviews } from './webhooks/webhooks.ts';

const fullStarts = 15;
const fullChanges = 300;
const quickChanges = 30;
const fullObjects = 10_000;
const quickObjects = 1_000;
const fullWatches = [1000, 100, 10];
const quickWatches = [10];
const quickStarts = 2;

function say(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${line}\n`);
}

async function main(args: readonly string[]): Promise<void> {
  const options = parseOptions(args);
  if (options === 'help') {
    process.stdout.write(help);
    return;
  }
  const environment = look(args);
  const sections: Section[] = [];
  for (const name of options.sections) {
    sections.push(await measure(name, options));
  }
  process.stdout.write((options.json ? toJson : toText)(environment, sections));
}

function look(args: readonly string[]): BenchEnvironment {
  const [loadAtStart = 0] = loadavg();
  const cores = availableParallelism();
  if (!isInOwnNetwork && loadAtStart > 1) {
    say(`Load is ${loadAtStart.toFixed(1)} on ${cores} cores: other work will show in the figures`);
  }
  const command = ['npm run bench', ...(args.length === 0 ? [] : ['--', ...args])].join(' ');
  return { date: new Date().toISOString(), command, cores, node: process.versions.node, loadAtStart };
}

function measure(name: SectionName, { quick }: Options): Promise<Section> {
  switch (name) {
    case 'plain':
      return besideUpstream(name, quick, noUpstream =>
        measurePlain(quick ? quickClusters : fullClusters, { noUpstream, say }),
      );
    case 'machines':
      return besideUpstream(name, quick, noUpstream =>
        measureMachines(quick ? quickMachines : fullMachines, { noUpstream, say }),
      );
    case 'rollout':
      return besideUpstream(name, quick, noUpstream =>
        measureRollout(quick ? quickRollouts : fullRollouts, { noUpstream, say }),
      );
    case 'clusters':
      return besideUpstream(name, quick, noUpstream =>
        measureClusters(quick ? quickCounts : fullCounts, { noUpstream, say }),
      );
    case 'cold-start':
      return measureColdStart({ starts: quick ? quickStarts : fullStarts, say });
    case 'lambda':
      return measureLambda({ sizes: quick ? quickInvocations : fullInvocations, say });
    case 'apiserver':
      return measureApiServers({ sizes: quick ? quickRequests : fullRequests, say });
    case 'latency':
      return measureLatency({ samples: quick ? quickChanges : fullChanges, say });
    case 'memory':
      return measureMemory({ objects: quick ? quickObjects : fullObjects, say });
    case 'node-watches':
      return measureNodeWatches({ sizes: quick ? quickWatches : fullWatches, say });
    case 'topology-patches':
      return measurePatches({ sizes: quick ? quickPatches : fullPatches, say });
    case 'commands':
      return measureCommands({ runs: quick ? quickStarts : fullStarts, say });
    case 'units':
      return measureUnits({ sizes: quick ? quickUnits : fullUnits, say });
    case 'webhooks':
      return measureWebhooks({ sizes: quick ? quickReviews : fullReviews, say });
    case 'page':
      return measurePage({ sizes: quick ? quickPages : fullPages, say });
    default:
      return name satisfies never;
  }
}

/** Upstream's manager listens on every address, so the section runs in a network namespace, if possible. */
function besideUpstream(
  name: SectionName,
  quick: boolean,
  measureHere: (noUpstream: string | undefined) => Promise<Section>,
): Promise<Section> {
  if (isInOwnNetwork) {
    return measureHere(undefined);
  }
  return canHaveOwnNetwork()
    ? inOwnNetwork(name, quick)
    : measureHere('it would listen on every address, and no network namespace (unshare, ip) is available here');
}

/** Downloads are first, because the network namespace has no external network. */
async function inOwnNetwork(name: SectionName, quick: boolean): Promise<Section> {
  if (!('missing' in findControlPlaneBinaries())) {
    await prepareUpstream(say);
  }
  const args = ['bench/main.ts', name, '--json', ...(quick ? ['--quick'] : [])];
  const bench = spawnInOwnNetwork(args, ['ignore', 'pipe', 'inherit']);
  const [output, [code]] = await Promise.all([bench.stdout === null ? '' : text(bench.stdout), once(bench, 'close')]);
  if (code !== 0) {
    throw new Error(`The bench in its own network ended with ${String(code)}`);
  }
  const { sections }: { readonly sections: readonly Section[] } = JSON.parse(output);
  const [section] = sections;
  if (section === undefined) {
    throw new Error('The bench in its own network measured nothing');
  }
  return section;
}

// The default signal handling skips the exit listeners, which end the child processes.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) {
    throw error;
  }
  process.stderr.write(`bench: ${error.message}\n`);
  process.exitCode = 2;
}
