// The writes for one template: it is created, changed in place, or replaced by a new template.

import { type Intent, invalid, valid } from '@capi-serverless/apimachinery';
import { setAt } from '@capi-serverless/cluster-api/contract';
import { describe, expect, it } from 'vitest';
import {
  type ExistingTemplate,
  finishTemplate,
  planSuccessor,
  startTemplate,
  type TemplateChange,
  toRotation,
} from '../../../../../../functions/topology/plan/changes/template-change.ts';
import { replacesAnnotation } from '../../../../../../shared/topology/model/keys.ts';
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

function change(more: Partial<TemplateChange> = {}): TemplateChange {
  return { ...{ cluster, role, topologyName: 'md1', must: 'sameKind', desired, current }, ...more };
}

const existing = (more: Partial<TemplateChange> = {}): ExistingTemplate => ({ ...change(more), current });

describe('the start', () => {
  it('creates a template that does not exist, which may be deleted again', () => {
    expect(startTemplate(change({ current: undefined }))).toMatchObject({
      state: 'planned',
      template: {
        name: 'old',
        isRotated: false,
        plan: { steps: [{ isDisposable: true, action: { uid: undefined } }] },
      },
    });
  });

  it('compares one of the same kind', () => {
    expect(startTemplate(change())).toMatchObject({ state: 'compare', compared: { intent: desired, current } });
  });

  it('refuses another kind where it must be the same, and replaces the template where it may differ', () => {
    const other = { ...desired, kind: 'OtherTemplate' };
    expect(startTemplate(change({ desired: other }))).toMatchObject({
      state: 'planned',
      template: { isRotated: false, plan: { steps: [], failure: expect.stringContaining('cannot be changed') } },
    });
    expect(startTemplate(change({ desired: other, must: 'sameNamespace' }))).toMatchObject({
      state: 'rotate',
      template: { current },
    });
  });
});

describe('the end of the comparison', () => {
  it.each([
    { reason: 'nothing differs', difference: { changes: false, specChanges: false }, steps: 0 },
    { reason: 'metadata differ', difference: { changes: true, specChanges: false }, steps: 1 },
  ])('keeps the template: $reason', ({ difference, steps }) => {
    const step = finishTemplate(existing(), valid(difference));
    expect(step).toMatchObject({ state: 'planned', template: { name: 'old', isRotated: false } });
    const actions = step.state === 'planned' ? step.template.plan.steps.map(({ action }) => action) : [];
    expect(actions).toHaveLength(steps);
    for (const action of actions) {
      expect(action).toMatchObject({ uid: 'uid-of-old', object: { metadata: { name: 'old' } } });
      expect(action.toEvent?.(undefined)?.message).toBe('Updated GenericMachineTemplate "ns1/old" (metadata changes)');
    }
  });

  it('replaces a template whose spec differs', () => {
    expect(finishTemplate(existing(), valid({ changes: true, specChanges: true }))).toMatchObject({ state: 'rotate' });
  });

  it('is a failure where the difference is not known', () => {
    expect(finishTemplate(existing(), invalid('no dry run'))).toEqual({
      state: 'planned',
      template: { name: 'old', isRotated: false, plan: { steps: [], failure: 'no dry run' } },
    });
  });
});

describe('the successor', () => {
  it('gets its name from its purpose', () => {
    expect(toRotation(change())).toEqual({ cluster, role, topologyName: 'md1', intent: desired });
  });

  it('is created under its own name, and names the template that it replaces only on request', () => {
    const marked = planSuccessor(existing({ marksSuccessor: true }), valid({ name: 'new' }));
    expect(marked).toMatchObject({ name: 'new', isRotated: true });
    expect(marked.plan.steps).toMatchObject([
      {
        isDisposable: true,
        action: {
          uid: undefined,
          object: { metadata: { name: 'new', annotations: { a: 'b', [replacesAnnotation]: 'old' } } },
        },
      },
    ]);
    const [plain] = planSuccessor(existing(), valid({ name: 'new' })).plan.steps;
    expect(plain?.action).toMatchObject({ object: { metadata: { name: 'new', annotations: { a: 'b' } } } });
    expect(plain?.action).not.toHaveProperty(['object', 'metadata', 'annotations', replacesAnnotation]);
    expect(plain?.action.toEvent?.(undefined)?.message).toBe(
      'Created GenericMachineTemplate "ns1/new" as a replacement for "old" (template rotation)',
    );
  });

  it.each([
    { reason: 'it is as it shall be', made: setAt(desired, 'metadata.name', 'new'), steps: [] },
    {
      reason: 'it differs',
      made: setAt(setAt(desired, 'metadata.name', 'new'), 'spec.template.spec.size', 'tiny'),
      steps: [{ action: { uid: 'uid-of-new' } }],
    },
  ])('is used when an interrupted pass has created it: $reason', ({ made, steps }) => {
    const { plan, name } = planSuccessor(existing(), valid({ name: 'new', existing: applied(made) }));
    expect(name).toBe('new');
    expect(plan.steps).toMatchObject(steps);
    expect(plan.steps).toHaveLength(steps.length);
    expect(plan.steps.every(step => step.isDisposable === undefined)).toBe(true);
  });

  it('is a failure where no name is free', () => {
    expect(planSuccessor(existing(), invalid('no name'))).toEqual({
      name: 'old',
      isRotated: false,
      plan: { steps: [], failure: 'no name' },
    });
  });

  it('has no annotations but its mark where the template has none', () => {
    const bare: Intent = { ...desired, metadata: { name: 'old', namespace: 'ns1' } };
    const [step] = planSuccessor(existing({ desired: bare, marksSuccessor: true }), valid({ name: 'new' })).plan.steps;
    expect(step?.action).toMatchObject({ object: { metadata: { annotations: { [replacesAnnotation]: 'old' } } } });
  });
});
