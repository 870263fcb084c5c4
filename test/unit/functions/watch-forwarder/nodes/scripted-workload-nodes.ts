// A management cluster with Clusters and Machines, and scripted API servers of workload clusters.

import {
  answered,
  invalid,
  type Kind,
  type ObjectRef,
  refused,
  valid,
  type Watches,
} from '@capi-serverless/apimachinery';
import { nodeOfMachine } from '../../../../../shared/api/machine/whole-machine.ts';
import { FakeWatches } from '../../../../support/fake-watches.ts';
import { aDeclaration } from '../../../../support/kernel.ts';
import { clusterDeclaration, clusterKind, machineKind, WatchForwarderWorld } from '../stepped-forwarder.ts';

export const nodeKind: Kind = { group: '', version: 'v1', kind: 'Node', scope: 'Cluster' };

const namespace = 'default';

const machineDeclaration = aDeclaration({
  name: 'machine',
  primary: machineKind,
  watches: [{ source: 'referenced', as: 'metadata', map: () => [] }],
  references: () => [],
  nodes: nodeOfMachine,
});

interface MachineFields {
  readonly cluster?: string;
  readonly node?: string;
  readonly providerID?: string;
}

export class NodesWorld {
  readonly forwarder: WatchForwarderWorld;
  /** The API servers by kubeconfig. Without one, the kubeconfig is not usable. */
  readonly servers = new Map<string, Watches>();
  readonly #secrets = new Map<string, { readonly kubeconfig: string; readonly version: string }>();
  /** The names of the Secrets that were read, in order. */
  readonly read: string[] = [];
  /** The kubeconfigs that were connected, in order. */
  readonly connected: string[] = [];

  constructor(mostClusters?: number) {
    this.forwarder = new WatchForwarderWorld({
      declarations: [clusterDeclaration, machineDeclaration],
      nodes: {
        reads: { get: (async (ref: ObjectRef) => this.#readSecret(ref)) as never }, // true: it is called without parser
        connect: async ({ kubeconfig }) => {
          this.connected.push(kubeconfig);
          const server = this.servers.get(kubeconfig);
          return server === undefined ? invalid('the kubeconfig is not usable') : valid(server);
        },
        ...(mostClusters === undefined ? {} : { mostClusters }),
      },
    });
  }

  get clock() {
    return this.forwarder.clock;
  }

  /** Creates a Cluster whose kubeconfig leads to an API server with Nodes. */
  addCluster(name: string): FakeWatches {
    const server = new FakeWatches(nodeKind);
    this.servers.set(`${name}@1`, server);
    this.putSecret(name, `${name}@1`);
    this.putCluster(name);
    return server;
  }

  putCluster(name: string, initialized: 'True' | 'False' = 'True', uid = `uid-${name}`): void {
    const conditions = [{ type: 'ControlPlaneInitialized', status: initialized }];
    this.forwarder.api.put(clusterKind, { namespace, name, uid }, { spec: {}, status: { conditions } });
  }

  putSecret(name: string, kubeconfig: string): void {
    this.#secrets.set(`${name}-kubeconfig`, { kubeconfig, version: kubeconfig });
  }

  putMachine(name: string, { cluster = 'c1', node = '', providerID = `p://${name}` }: MachineFields = {}): void {
    this.forwarder.api.put(
      machineKind,
      { namespace, name },
      { spec: { clusterName: cluster, providerID }, status: node === '' ? {} : { nodeRef: { name: node } } },
    );
  }

  removeMachine(name: string): void {
    this.forwarder.api.remove(machineKind, { namespace, name });
  }

  /** The requests for Machines since the last call, as `name cause`. */
  takeRequests(): readonly string[] {
    const all = this.forwarder.requests('machine').map(({ key, cause }) => `${key.name} ${cause}`);
    const since = all.slice(this.#taken);
    this.#taken = all.length;
    return since;
  }

  #taken = 0;

  #readSecret({ name }: ObjectRef) {
    this.read.push(name);
    const secret = this.#secrets.get(name);
    return secret === undefined
      ? refused({ reason: 'NotFound', code: 404, message: `Secret ${name} not found` })
      : answered({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name, namespace, uid: name, resourceVersion: secret.version },
          data: { value: Buffer.from(secret.kubeconfig).toString('base64') },
        });
  }
}
