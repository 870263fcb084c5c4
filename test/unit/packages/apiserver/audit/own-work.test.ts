// Audit events of the server's own controllers.
import { expect, it } from 'vitest';
import { toOwnRequest } from '../../../../../packages/apiserver/audit/auditor.ts';
import type { OwnChange } from '../../../../../packages/apiserver/core/own-controllers.ts';
import { at, aWidget, aWorld, endpointOf, namespace } from '../core/core-with-widgets.ts';

function aCore() {
  const world = aWorld();
  const reported: string[] = [];
  world.core.onOwnChange((own: OwnChange) => {
    const { user, verb, subresource, responseObject } = toOwnRequest(own);
    const what = `${own.resource.plural}/${own.change.object.metadata.name}${subresource === '' ? '' : `/${subresource}`}`;
    reported.push(`${user.split(':').at(-1)} ${verb} ${what} → ${String(responseObject['kind'])}`);
  });
  return { ...world, reported };
}

it('the garbage collector deletes dependents, and removes references and finalizers by patches', () => {
  const { core, widgets, reported } = aCore();
  const owner = core.create(widgets, namespace, aWidget('owner'));
  const { uid, name } = owner.metadata;
  const reference = { apiVersion: owner.apiVersion, kind: owner.kind, name, uid };
  const other = { ...core.create(widgets, namespace, aWidget('other')).metadata };
  const both = [reference, { ...reference, name: other.name, uid: other.uid }];
  const create = (of: string, parts: object) => core.create(widgets, namespace, aWidget(of, { metadata: parts }));
  const passing = create('passing', {});
  create('plain', { ownerReferences: [reference] });
  create('follower', { ownerReferences: [{ ...reference, name: 'passing', uid: passing.metadata.uid }] });
  create('held', { ownerReferences: [reference], finalizers: ['a.b/c'] });
  create('shared', { ownerReferences: both });
  core.delete(at(widgets, 'owner'), { propagationPolicy: 'Foreground' });
  core.delete(at(widgets, 'passing'));
  core.settle();
  core.patch(at(widgets, 'held'), { type: 'merge', body: { metadata: { finalizers: null } } });
  core.settle();
  const by = 'generic-garbage-collector';
  expect(reported.toSorted()).toEqual(
    [
      // Foreground deletion adds and removes a finalizer of the collector.
      `${by} delete widgets/plain → Widget`,
      `${by} patch widgets/plain → Widget`,
      `${by} delete widgets/held → Widget`,
      `${by} patch widgets/held → Widget`,
      `${by} patch widgets/owner → Widget`,
      `${by} patch widgets/shared → Widget`,
      `${by} delete widgets/follower → Status`,
    ].toSorted(),
  );
});

it('namespaces are emptied and finalized by their controller', () => {
  const { core, widgets, reported } = aCore();
  core.create(widgets, namespace, aWidget('inside'));
  core.delete(at(endpointOf(core, 'v1', 'Namespace'), namespace));
  core.settle();
  expect(reported).toEqual([
    'namespace-controller delete widgets/inside → Status',
    `namespace-controller update namespaces/${namespace}/finalize → Namespace`,
  ]);
});
