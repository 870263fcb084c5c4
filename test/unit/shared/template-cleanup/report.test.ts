import { addFinalizerId, type Outcome, removeFinalizerId, reportResult } from '@capi-serverless/reconciler';
import { expect, it } from 'vitest';
import { deleteId, plan } from '../../../../shared/template-cleanup/plan.ts';
import type { Dependent, TemplateCleanupSeen } from '../../../../shared/template-cleanup/seen.ts';
import { anOwnedDeployment } from '../../../support/topology-workers.ts';

const finalizer = 'example.com/ours';
const object = anOwnedDeployment().withFinalizers(finalizer).build();

const first = aTemplate('one');
const second = aTemplate('two');
const adding: TemplateCleanupSeen = { step: 'addFinalizer', object, finalizer };
const cleaning: TemplateCleanupSeen = {
  step: 'cleanUp',
  object,
  finalizer,
  dependents: { ok: true, value: [first, second] },
};
const unknown: TemplateCleanupSeen = {
  step: 'cleanUp',
  object,
  finalizer,
  dependents: { ok: false, error: 'not known' },
};

function aTemplate(name: string): Dependent {
  const apiVersion = 'infrastructure.cluster.x-k8s.io/v1beta2';
  return { ref: { apiVersion, kind: 'SimulatedMachineTemplate', namespace: 'ns', name }, uid: name };
}

const done: Outcome = { state: 'done' };
const skipped: Outcome = { state: 'skipped' };
const failed = (message: string): Outcome => ({ state: 'failed', failure: { reason: 'InternalError', message } });

const templates = 'failed to delete SimulatedMachineTemplate';

it.each<{ seen: TemplateCleanupSeen; outcomes: readonly (readonly [string, Outcome])[]; reason: string }>([
  { seen: adding, outcomes: [[addFinalizerId, done]], reason: 'the finalizer was added' },
  { seen: cleaning, outcomes: [[removeFinalizerId, done]], reason: 'the finalizer was removed' },
  { seen: cleaning, outcomes: [], reason: 'there was nothing to write' },
])('is done when $reason', ({ seen, outcomes }) => {
  expect(reportResult(plan(seen), new Map(outcomes))).toEqual({ events: [], result: { kind: 'done' } });
});

it.each<{ seen: TemplateCleanupSeen; outcomes: readonly (readonly [string, Outcome])[]; error: string }>([
  {
    seen: adding,
    outcomes: [[addFinalizerId, failed('boom')]],
    error: `failed to add finalizer ${finalizer} to MachineDeployment ns/md1: boom`,
  },
  { seen: unknown, outcomes: [], error: 'not known' },
  {
    seen: cleaning,
    outcomes: [
      [deleteId(first), done],
      [deleteId(second), failed('boom')],
      [removeFinalizerId, skipped],
    ],
    error: `${templates} ns/two for MachineDeployment ns/md1: boom`,
  },
  {
    seen: cleaning,
    outcomes: [
      [deleteId(first), failed('the first')],
      [deleteId(second), skipped],
      [removeFinalizerId, skipped],
    ],
    error: `${templates} ns/one for MachineDeployment ns/md1: the first`,
  },
  {
    seen: cleaning,
    outcomes: [
      [deleteId(first), done],
      [deleteId(second), done],
      [removeFinalizerId, failed('boom')],
    ],
    error: `failed to remove finalizer ${finalizer} from MachineDeployment ns/md1: boom`,
  },
])('fails: $error', ({ seen, outcomes, error }) => {
  expect(reportResult(plan(seen), new Map(outcomes))).toEqual({
    events: [],
    result: { kind: 'failed', error: new Error(error), terminal: false },
  });
});
