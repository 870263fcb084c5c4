import { expect, it } from 'vitest';
import type { Outcome } from '../../../../shared/kernel/types.ts';
import { deleteId, holdId, releaseId } from '../../../../shared/template-cleanup/decide.ts';
import { report } from '../../../../shared/template-cleanup/report.ts';
import type { Doomed, Seen } from '../../../../shared/template-cleanup/seen.ts';
import { anOwnedDeployment } from '../../../support/topology-workers.ts';

const finalizer = 'example.com/ours';
const object = anOwnedDeployment().withFinalizers(finalizer).build();

const first = aTemplate('one');
const second = aTemplate('two');
const hold: Seen = { step: 'hold', object, finalizer };
const release: Seen = { step: 'release', object, finalizer, doomed: { ok: true, value: [first, second] } };
const unclear: Seen = { step: 'release', object, finalizer, doomed: { ok: false, error: 'not known' } };

function aTemplate(name: string): Doomed {
  const apiVersion = 'infrastructure.cluster.x-k8s.io/v1beta2';
  return { ref: { apiVersion, kind: 'SimulatedMachineTemplate', namespace: 'ns', name }, uid: name };
}

const done: Outcome = { state: 'done' };
const skipped: Outcome = { state: 'skipped' };
const failed = (message: string): Outcome => ({ state: 'failed', failure: { reason: 'InternalError', message } });

const templates = 'failed to delete SimulatedMachineTemplate';

it.each<{ seen: Seen; outcomes: readonly (readonly [string, Outcome])[]; reason: string }>([
  { seen: hold, outcomes: [[holdId, done]], reason: 'it is held' },
  { seen: release, outcomes: [[releaseId, done]], reason: 'it is let go' },
  { seen: release, outcomes: [], reason: 'nothing was begun' },
])('is done when $reason', ({ seen, outcomes }) => {
  expect(report(seen, new Map(outcomes))).toEqual({ events: [], result: { kind: 'done' } });
});

it.each<{ seen: Seen; outcomes: readonly (readonly [string, Outcome])[]; error: string }>([
  {
    seen: hold,
    outcomes: [[holdId, failed('boom')]],
    error: `failed to add finalizer ${finalizer} to MachineDeployment ns/md1: boom`,
  },
  { seen: unclear, outcomes: [], error: 'not known' },
  {
    seen: release,
    outcomes: [
      [deleteId(first), done],
      [deleteId(second), failed('boom')],
      [releaseId, skipped],
    ],
    error: `${templates} ns/two for MachineDeployment ns/md1: boom`,
  },
  {
    seen: release,
    outcomes: [
      [deleteId(first), failed('the first')],
      [deleteId(second), failed('the second')],
      [releaseId, failed('the last')],
    ],
    error: `${templates} ns/one for MachineDeployment ns/md1: the first`,
  },
  {
    seen: release,
    outcomes: [
      [deleteId(first), done],
      [deleteId(second), done],
      [releaseId, failed('boom')],
    ],
    error: `failed to remove finalizer ${finalizer} from MachineDeployment ns/md1: boom`,
  },
])('is tried again, and says why: $error', ({ seen, outcomes, error }) => {
  expect(report(seen, new Map(outcomes))).toEqual({
    events: [],
    result: { kind: 'failed', error: new Error(error), terminal: false },
  });
});
