// The writes for one template: it is created, changed in place, or replaced by a new template.

import { type Answer, answered, type Intent, refused, type Unstructured } from '@capi-serverless/apimachinery';
import { setAt } from '@capi-serverless/cluster-api/contract';
import { describe, expect, it } from 'vitest';
import {
  planTemplate,
  type TemplateChange,
} from '../../../../../../functions/topology/plan/changes/template-change.ts';
import { chooseRotatedName } from '../../../../../../functions/topology/plan/names/name-candidates.ts';
import { replacesAnnotation } from '../../../../../../shared/topology/model/keys.ts';
import { answerFrom } from '../../../../../support/answered-plan.ts';
import { settledObjects } from '../../../../../support/settled-topology.ts';
import { applied } from '../../../../../support/topology-changes.ts';
import { aBlueprint } from '../../../../../support/topology-objects.ts';

const desired: Intent = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'GenericMachineTemplate',
  metadata: { name: 'old', namespace: 'ns1', annotations: { a: 'b' } },
  spec: { template: { spec: { size: 'large' } } },
};
const current = applied(setAt(desired, 'spec.template.spec.size', 'small'));
const { cluster } = aBlueprint();
const role = 'MachineDeploymentInfrastructureTemplate';
const missing = refused({ reason: 'NotFound', message: '' });

interface Found {
  /** The answer to the read of a candidate for the name of the new template. */
  readonly candidate?: Answer<Unstructured>;
  readonly dryRun?: Answer<Unstructured>;
}

/** Every dry run is accepted as it is, and every name is free. */
function plan(change: Partial<TemplateChange> = {}, { candidate = missing, dryRun }: Found = {}) {
  const whole: TemplateChange = { cluster, role, topologyName: 'md1', must: 'sameKind', desired, current, ...change };
  const { result, asked } = answerFrom(planTemplate(whole), {
    dryRun: ({ intent }) => dryRun ?? answered(applied(intent)),
    get: () => candidate,
  });
  return { ...result, asked: asked.map(({ ask }) => ask) };
}

/** The name of the template that replaces the current one. */
function successorOf(intent: Intent): string {
  const rotation = { cluster, role, topologyName: 'md1', intent } as const;
  const { result } = answerFrom(chooseRotatedName(rotation), { get: () => missing });
  return result.ok ? result.value.name : result.error;
}

const name = successorOf(desired);

describe('a template', () => {
  it('that does not exist is created, and may be deleted again', () => {
    expect(plan({ current: undefined })).toMatchObject({
      name: 'old',
      isRotated: false,
      plan: { steps: [{ isDisposable: true, action: { uid: undefined } }] },
      asked: [],
    });
  });

  it('of another kind is refused where the kind must be the same, and replaced where it may differ', () => {
    const other = { ...desired, kind: 'OtherTemplate' };
    expect(plan({ desired: other })).toMatchObject({
      isRotated: false,
      plan: { steps: [], failure: expect.stringContaining('cannot be changed') },
      asked: [],
    });
    expect(plan({ desired: other, must: 'sameNamespace' })).toMatchObject({ isRotated: true, asked: ['get'] });
  });

  const metadata = setAt(current, 'spec.template.spec.size', 'large');
  it.each([
    { reason: 'nothing differs', stored: applied(desired), asked: [], steps: 0 },
    {
      reason: 'metadata differ',
      stored: { ...metadata, metadata: { ...metadata.metadata, annotations: {} } },
      asked: ['dryRun', 'dryRun'],
      steps: 1,
    },
  ])('stays: $reason', ({ stored, asked, steps }) => {
    const planned = plan({ current: stored });
    expect(planned).toMatchObject({ name: 'old', isRotated: false, asked });
    const actions = planned.plan.steps.map(({ action }) => action);
    expect(actions).toHaveLength(steps);
    for (const action of actions) {
      expect(action).toMatchObject({ uid: 'uid-of-old', object: { metadata: { name: 'old' } } });
      expect(action.toEvent?.(undefined)?.message).toBe('Updated GenericMachineTemplate "ns1/old" (metadata changes)');
    }
  });

  it('is replaced if its spec differs', () => {
    expect(plan()).toMatchObject({ isRotated: true, asked: ['dryRun', 'dryRun', 'get'] });
  });

  it('is a failure where the difference is not known', () => {
    expect(plan({}, { dryRun: refused({ reason: 'Invalid', message: 'no dry run' }) })).toMatchObject({
      name: 'old',
      isRotated: false,
      plan: { steps: [], failure: expect.stringMatching(/modified object: no dry run$/) },
    });
  });
});

describe('the successor', () => {
  it('is created under its own name, and names the template that it replaces only on request', () => {
    const marked = plan({ marksSuccessor: true });
    expect(marked).toMatchObject({ name, isRotated: true });
    expect(marked.plan.steps).toMatchObject([
      {
        isDisposable: true,
        action: {
          uid: undefined,
          object: { metadata: { name, annotations: { a: 'b', [replacesAnnotation]: 'old' } } },
        },
      },
    ]);
    const [step] = plan().plan.steps;
    expect(step?.action).toMatchObject({ object: { metadata: { name, annotations: { a: 'b' } } } });
    expect(step?.action).not.toHaveProperty(['object', 'metadata', 'annotations', replacesAnnotation]);
    expect(step?.action.toEvent?.(undefined)?.message).toBe(
      `Created GenericMachineTemplate "ns1/${name}" as a replacement for "old" (template rotation)`,
    );
  });

  const { labels = {}, ownerReferences = [] } = settledObjects().md1Infrastructure.build().metadata;
  const ours: Intent = { ...desired, metadata: { ...desired.metadata, labels, ownerReferences } };
  const made = setAt(ours, 'metadata.name', successorOf(ours));
  it.each([
    { reason: 'it is as it shall be', made, steps: [] },
    {
      reason: 'it differs',
      made: setAt(made, 'spec.template.spec.size', 'tiny'),
      steps: [{ action: { uid: `uid-of-${made.metadata.name}` } }],
    },
  ])('is used when an interrupted pass has created it: $reason', ({ made: stored, steps }) => {
    const planned = plan({ desired: ours }, { candidate: answered(applied(stored)) });
    expect(planned).toMatchObject({ name: made.metadata.name, isRotated: true });
    expect(planned.plan.steps).toMatchObject(steps);
    expect(planned.plan.steps).toHaveLength(steps.length);
    expect(planned.plan.steps.every(step => step.isDisposable === undefined)).toBe(true);
  });

  it('is a failure where no name can be chosen', () => {
    expect(plan({}, { candidate: refused({ reason: 'Forbidden', message: 'no right' }) })).toMatchObject({
      name: 'old',
      isRotated: false,
      plan: { steps: [], failure: `failed to look up GenericMachineTemplate ns1/${name}: no right` },
    });
  });

  it('has no annotations but its mark where the template has none', () => {
    const bare: Intent = { ...desired, metadata: { name: 'old', namespace: 'ns1' } };
    const [step] = plan({ desired: bare, marksSuccessor: true }).plan.steps;
    expect(step?.action).toMatchObject({ object: { metadata: { annotations: { [replacesAnnotation]: 'old' } } } });
  });
});
