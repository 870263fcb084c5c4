// One Cluster of the page: its line, what it waits for, its Machines as a picture, and its tree. Pure.
import { toDisplayName, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { explain } from '../../functions/cluster/why/explain.ts';
import type { ClusterSnapshot } from '../../functions/cluster/why/snapshot.ts';
import { toClusterNode } from '../../functions/cluster/why/tree.ts';
import { findOrder } from '../../local/provider/orders.ts';
import { controlPlaneLabel } from '../../shared/api/machine/reader.ts';
import { deploymentNameLabel } from '../../shared/api/machine-deployment/reader.ts';
import { toSentences } from '../../shared/explain/explanation.ts';
import { limited, type ObjectNode } from '../../shared/explain/tree.ts';
import { type Html, html } from './html.ts';
import { toSign } from './marks.ts';
import { toPicture } from './rollout-picture.ts';

export function clusterId({ cluster }: ClusterSnapshot): string {
  return `cluster-${cluster.metadata.namespace}.${cluster.metadata.name}`;
}

export function toClusterFragment(snapshot: ClusterSnapshot): string {
  const { cluster } = snapshot;
  const name = toDisplayName(cluster.metadata);
  const node = toClusterNode(snapshot, limited);
  const sentences = toSentences(`Cluster ${name}`, explain(snapshot, findOrder));
  return html`<details class="cluster" id="${clusterId(snapshot)}" data-name="${name}"><summary>${toSign(node.mark)} <span class="name">${name}</span> <span class="detail">${node.detail}</span></summary><p class="links">${linkTo('Cluster', cluster, 'Conditions and reconciles of this Cluster')}</p><ul class="why">${sentences.map(sentence => html`<li>${sentence}</li>`)}</ul>${picturesOf(snapshot)}<ul class="tree">${node.children.map(child => toItem(child, snapshot))}</ul></details>`.toString();
}

function picturesOf({ machines, machineDeployments }: ClusterSnapshot): readonly Html[] {
  const controlPlane = machines.filter(({ metadata }) => metadata.labels?.[controlPlaneLabel] !== undefined);
  const rows = machineDeployments.map(({ metadata }) => ({
    title: `MachineDeployment ${metadata.name}`,
    members: machines.filter(machine => machine.metadata.labels?.[deploymentNameLabel] === metadata.name),
  }));
  return [{ title: 'Control plane', members: controlPlane }, ...rows]
    .filter(({ members }) => members.length > 0)
    .map(({ title, members }) => toPicture(title, members));
}

function toItem(node: ObjectNode, snapshot: ClusterSnapshot): Html {
  const { name, mark, detail, children } = node;
  return html`<li>${toSign(mark)} ${toName(name, snapshot)} <span class="detail">${detail}</span>${children.length > 0 && html`<ul>${children.map(child => toItem(child, snapshot))}</ul>`}${nodeOf(name, snapshot)}</li>`;
}

/** The Node of a Machine, once it is known. */
function nodeOf(name: string, { machines }: ClusterSnapshot): Html | undefined {
  const machine = machines.find(({ metadata }) => name === `Machine/${metadata.name}`);
  const node = machine === undefined ? undefined : valueAt(machine.status, 'nodeRef.name');
  return typeof node === 'string' ? html`<ul><li><span class="name">Node/${node}</span></li></ul>` : undefined;
}

/** Rows such as the number of further objects have no object. */
function toName(name: string, { cluster }: ClusterSnapshot): Html {
  const [kind = '', object] = name.split('/');
  return object === undefined
    ? html`<span class="name">${name}</span>`
    : linkTo(kind, { metadata: { namespace: cluster.metadata.namespace, name: object } }, name);
}

function linkTo(
  kind: string,
  {
    metadata: { namespace = '', name },
  }: { readonly metadata: { readonly namespace?: string | undefined; readonly name: string } },
  text: string,
): Html {
  const query = new URLSearchParams({ kind, namespace, name });
  return html`<a class="name" href="#object?${query.toString()}">${text}</a>`;
}

/** The objects of the Cluster that are not of Cluster API itself. The page shows no other objects of providers. */
export function referredObjects({ infrastructure, controlPlane }: ClusterSnapshot): readonly Unstructured[] {
  return [infrastructure, controlPlane].flatMap(referred => (referred?.state === 'found' ? [referred.object] : []));
}
