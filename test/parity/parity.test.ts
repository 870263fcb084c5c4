// Our functions reach the state that the upstream controllers reached, on a real API server and on the embedded one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installCrds, toProblemLine } from '../../infra/local/crds.ts';
import { embeddedKubeconfigPath } from '../../infra/local/embedded.ts';
import { valueAt } from '../../shared/kernel/merge-diff.ts';
import { systemClock } from '../../shared/telemetry/system-clock.ts';
import { describeReal } from '../support/describe-real.ts';
import { type LocalRun, type ProgressLine, startLocalRun } from '../support/local-run.ts';
import { type RealControlPlane, startControlPlane } from '../support/real-control-plane.ts';
import { clusterRef } from '../support/static-provider.ts';
import { connectWorldClient, phaseOf } from '../support/world-client.ts';
import { describeCorpus, type Played, type Playing, play, readCorpusCrds, readScenarios } from './corpus.ts';

/** The kinds whose controllers exist here. */
const kinds = new Set(['Cluster', 'ClusterClass', 'Topology']);
const functionsUser = 'functions';
const warmUpSeconds = 60;

interface Server {
  readonly playing: Pick<Playing, 'kubeconfig' | 'audit'>;
  readonly run: LocalRun;
  stop(): Promise<void>;
}

describeCorpus('parity', () => {
  describeReal('parity on a real API server', () => holdParity(startOnRealServer), { needs: 'controllers' });
  describe('parity on the embedded API server', () => holdParity(startOnEmbeddedServer));
});

function holdParity(start: () => Promise<Server>): void {
  const scenarios = readScenarios().filter(({ kind }) => kinds.has(kind));
  let played: Played;
  let defects: readonly string[];

  beforeAll(async () => {
    const server = await start();
    try {
      await server.run.line(({ event }) => event === 'started');
      await warmUp(server.playing.kubeconfig);
      played = await play({ ...server.playing, scenarios });
      defects = server.run.lines.flatMap(toDefect);
      server.run.interrupt();
      expect(await server.run.ended, server.run.stderr).toBe(0);
    } finally {
      await server.stop();
    }
  });

  afterAll(() => played?.remove());

  it('met no defect of ours on the way', () => {
    expect(defects).toEqual([]);
  });

  it.each(scenarios)('$folder: $title', async scenario => {
    expect(await played.differences(scenario)).toBe('');
  });
}

/** A reconcile that failed with something else than a state of the world tells where. */
function toDefect({ event, line }: ProgressLine): readonly string[] {
  const stack = event === 'log' ? valueAt(line, 'stack') : undefined;
  return stack === undefined ? [] : [String(stack)];
}

/** A function's first invocation loads its code: no scenario shall take that for quiet. */
async function warmUp(kubeconfig: string): Promise<void> {
  const client = await connectWorldClient(kubeconfig);
  const ref = clusterRef('default', 'warm-up');
  const { apiVersion, kind, namespace, name } = ref;
  const spec = { clusterNetwork: { serviceDomain: 'cluster.local' } };
  await client.create({ apiVersion, kind, metadata: { namespace, name }, spec });
  await client.until(ref, object => phaseOf(object) !== '', warmUpSeconds);
  await client.remove(ref);
  await client.until(ref, object => object === undefined, warmUpSeconds);
}

async function startOnRealServer(): Promise<Server> {
  const plane = await startControlPlane({
    users: [{ name: functionsUser, groups: ['system:masters'] }],
    beforeControllers: installKinds,
  });
  const run = startLocalRun({ args: ['--kubeconfig', plane.kubeconfigPath(functionsUser), '--json'] });
  return {
    playing: {
      kubeconfig: plane.kubeconfigPath('admin'),
      audit: { file: plane.auditLogPath, user: functionsUser },
    },
    run,
    stop: async () => {
      await end(run);
      await plane.stop();
    },
  };
}

function installKinds(plane: RealControlPlane): Promise<void> {
  return install(plane.kubeconfigPath('admin'));
}

/** Our own definitions are there from the start; the others come from the corpus. */
async function startOnEmbeddedServer(): Promise<Server> {
  const run = startLocalRun({ args: ['--no-examples', '--no-admission', '--json'] });
  const stop = (): Promise<void> => end(run);
  try {
    await run.line(({ event }) => event === 'started');
    await install(embeddedKubeconfigPath);
  } catch (thrown) {
    await stop();
    throw thrown;
  }
  return { playing: { kubeconfig: embeddedKubeconfigPath }, run, stop };
}

async function end(run: LocalRun): Promise<void> {
  run.interrupt();
  await run.ended;
}

async function install(kubeconfig: string): Promise<void> {
  const { kubernetes } = await connectWorldClient(kubeconfig);
  const { problems } = await installCrds(kubernetes, readCorpusCrds(), { clock: systemClock });
  expect(problems.map(toProblemLine)).toEqual([]);
}
