// Our functions reach the state that the upstream controllers reached, on a real API server and on the embedded one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installCrds, toProblemLine } from '../../infra/local/crds.ts';
import { embeddedKubeconfigPath } from '../../infra/local/embedded.ts';
import { systemClock } from '../../shared/telemetry/system-clock.ts';
import { describeReal } from '../support/describe-real.ts';
import { type LocalRun, startLocalRun } from '../support/local-run.ts';
import { type RealControlPlane, startControlPlane } from '../support/real-control-plane.ts';
import { connectWorldClient } from '../support/world-client.ts';
import { describeCorpus, type Played, type Playing, play, readCorpusCrds, readScenarios } from './corpus.ts';

/** The kinds whose controllers exist here. */
const kinds = new Set(['Cluster']);
const functionsUser = 'functions';

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

  beforeAll(async () => {
    const server = await start();
    try {
      await server.run.line(({ event }) => event === 'started');
      played = await play({ ...server.playing, scenarios });
      server.run.interrupt();
      expect(await server.run.ended, server.run.stderr).toBe(0);
    } finally {
      await server.stop();
    }
  });

  afterAll(() => played?.remove());

  it.each(scenarios)('$folder: $title', async scenario => {
    expect(await played.differences(scenario)).toBe('');
  });
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
    stop: () => plane.stop(),
  };
}

function installKinds(plane: RealControlPlane): Promise<void> {
  return install(plane.kubeconfigPath('admin'));
}

/** Our own definitions are there from the start; the others come from the corpus. */
async function startOnEmbeddedServer(): Promise<Server> {
  const run = startLocalRun({ args: ['--no-examples', '--json'] });
  const stop = async (): Promise<void> => {
    run.interrupt();
    await run.ended;
  };
  try {
    await run.line(({ event }) => event === 'started');
    await install(embeddedKubeconfigPath);
  } catch (thrown) {
    await stop();
    throw thrown;
  }
  return { playing: { kubeconfig: embeddedKubeconfigPath }, run, stop };
}

async function install(kubeconfig: string): Promise<void> {
  const { kubernetes } = await connectWorldClient(kubeconfig);
  const { problems } = await installCrds(kubernetes, readCorpusCrds(), { clock: systemClock });
  expect(problems.map(toProblemLine)).toEqual([]);
}
