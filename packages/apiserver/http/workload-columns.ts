// The columns of Nodes and Pods, with the cells of kube-apiserver. Pure.
import { type Instant, isJsonObject, type JsonObject, memberOf } from '@capi-serverless/apimachinery';
import type { Stored } from '../core/object.ts';
import { toAge } from './age.ts';
import { ageColumn, column, nameColumn, type TableColumn, textAt } from './table-column.ts';

function objectsIn(value: unknown, member: string): readonly JsonObject[] {
  const list = memberOf(value, member);
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function statusOfNode(node: Stored): string {
  const ready = objectsIn(node.status, 'conditions').find(({ type }) => type === 'Ready');
  const state = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return memberOf(node.spec, 'unschedulable') === true ? `${state},SchedulingDisabled` : state;
}

const rolePrefix = 'node-role.kubernetes.io/';

function rolesOfNode({ metadata: { labels = {} } }: Stored): string {
  const roles = Object.entries(labels).flatMap(([key, value]) => {
    const role = key.startsWith(rolePrefix) ? key.slice(rolePrefix.length) : key === 'kubernetes.io/role' ? value : '';
    return role === '' ? [] : [role];
  });
  return [...new Set(roles)].toSorted().join(',') || '<none>';
}

function addressOfNode(type: string): TableColumn['cell'] {
  return node => objectsIn(node.status, 'addresses').find(each => each['type'] === type)?.['address'] ?? '<none>';
}

function infoOfNode(member: string): TableColumn['cell'] {
  return node => textAt('status', 'nodeInfo', member)(node) || '<unknown>';
}

const wide = { priority: 1 };

export const nodeColumns: readonly TableColumn[] = [
  nameColumn,
  column('Status', statusOfNode),
  column('Roles', rolesOfNode),
  ageColumn,
  column('Version', textAt('status', 'nodeInfo', 'kubeletVersion')),
  column('Internal-IP', addressOfNode('InternalIP'), wide),
  column('External-IP', addressOfNode('ExternalIP'), wide),
  column('OS-Image', infoOfNode('osImage'), wide),
  column('Kernel-Version', infoOfNode('kernelVersion'), wide),
  column('Container-Runtime', infoOfNode('containerRuntimeVersion'), wide),
];

function containersOf(pod: Stored): readonly JsonObject[] {
  return objectsIn(pod.status, 'containerStatuses');
}

function isRunning(container: JsonObject): boolean {
  return container['ready'] === true && memberOf(container['state'], 'running') !== undefined;
}

function readyOfPod(pod: Stored): string {
  return `${containersOf(pod).filter(isRunning).length}/${objectsIn(pod.spec, 'containers').length}`;
}

function reasonOf({ state }: JsonObject): string {
  const waiting = memberOf(memberOf(state, 'waiting'), 'reason');
  const terminated = memberOf(state, 'terminated');
  if (typeof waiting === 'string' && waiting !== '') {
    return waiting;
  }
  if (terminated === undefined) {
    return '';
  }
  const signal = memberOf(terminated, 'signal');
  const code = signal ? `Signal:${signal}` : `ExitCode:${memberOf(terminated, 'exitCode') ?? 0}`;
  return String(memberOf(terminated, 'reason') || code);
}

function statusOfPod(pod: Stored): string {
  const phase = textAt('status', 'phase')(pod);
  const given = textAt('status', 'reason')(pod);
  if (pod.metadata.deletionTimestamp !== undefined && phase !== 'Succeeded' && phase !== 'Failed') {
    return given === 'NodeLost' ? 'Unknown' : 'Terminating';
  }
  const reason = containersOf(pod).map(reasonOf).find(Boolean) ?? (given || phase);
  if (reason !== 'Completed' || !containersOf(pod).some(isRunning)) {
    return reason;
  }
  const ready = objectsIn(pod.status, 'conditions').find(({ type }) => type === 'Ready');
  return ready?.['status'] === 'True' ? 'Running' : 'NotReady';
}

function restartsOfPod(pod: Stored, now: Instant): string {
  const containers = containersOf(pod);
  const restarts = containers.reduce((sum, { restartCount }) => sum + Number(restartCount ?? 0), 0);
  const last = containers
    .map(({ lastState }) => memberOf(memberOf(lastState, 'terminated'), 'finishedAt'))
    .filter(time => typeof time === 'string')
    .toSorted()
    .at(-1);
  return restarts === 0 || last === undefined ? String(restarts) : `${restarts} (${toAge(last, now)} ago)`;
}

function gatesOfPod(pod: Stored): string {
  const gates = objectsIn(pod.spec, 'readinessGates');
  const conditions = objectsIn(pod.status, 'conditions');
  const met = gates.filter(({ conditionType }) =>
    conditions.some(({ type, status }) => type === conditionType && status === 'True'),
  );
  return gates.length === 0 ? '<none>' : `${met.length}/${gates.length}`;
}

function orNone(...path: readonly string[]): TableColumn['cell'] {
  return object => textAt(...path)(object) || '<none>';
}

export const podColumns: readonly TableColumn[] = [
  nameColumn,
  column('Ready', readyOfPod),
  column('Status', statusOfPod),
  column('Restarts', restartsOfPod),
  ageColumn,
  column('IP', orNone('status', 'podIP'), wide),
  column('Node', orNone('spec', 'nodeName'), wide),
  column('Nominated Node', orNone('status', 'nominatedNodeName'), wide),
  column('Readiness Gates', gatesOfPod, wide),
];
