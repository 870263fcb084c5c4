// How the Node of a Machine is found without a cache of all Nodes. The API server cannot select Nodes by providerID.
import { problemsOfSubdomain } from '@capi-serverless/apimachinery';
import type { ListedNode } from '../../../../shared/workload/api.ts';

/** The maximum number of names that are tried before all Nodes are listed. */
const maxCandidates = 3;

interface Named {
  readonly addresses: readonly { readonly type: string; readonly address: string }[];
  /** The name of the infrastructure object. */
  readonly infrastructureName: string;
  readonly machineName: string;
  /** The Node that the Machine named before. It was tried already. */
  readonly triedName: string;
}

/** Returns the names that the Node of a Machine usually has, in the order of their probability. */
export function candidateNames({ addresses, infrastructureName, machineName, triedName }: Named): readonly string[] {
  const ofType = (type: string) => addresses.filter(each => each.type === type).map(({ address }) => address);
  const names = [...ofType('InternalDNS'), ...ofType('Hostname'), infrastructureName, machineName]
    .map(name => name.toLowerCase())
    .filter(name => name !== triedName && problemsOfSubdomain(name).length === 0);
  return [...new Set(names)].slice(0, maxCandidates);
}

/** Compares exactly. A Node without providerID never matches. */
export function isNodeOf(providerID: string, node: Pick<ListedNode, 'providerID'>): boolean {
  return providerID !== '' && node.providerID === providerID;
}

export type NodeSearch =
  | { readonly state: 'found'; readonly name: string }
  | { readonly state: 'missing' }
  | { readonly state: 'ambiguous'; readonly error: string };

/** The result of a complete list of Nodes. */
export function findListed(providerID: string, nodes: Iterable<ListedNode>): NodeSearch {
  const names: string[] = [];
  for (const node of nodes) {
    if (isNodeOf(providerID, node)) {
      names.push(node.name);
    }
  }
  const [name] = names;
  if (name === undefined) {
    return { state: 'missing' };
  }
  return names.length === 1
    ? { state: 'found', name }
    : { state: 'ambiguous', error: `unexpectedly found more than one Node matching the providerID ${providerID}` };
}
