// The manifests of the watch-forwarder: two stateless replicas without leader election.
import { forwarderProgram } from '../function-plans.ts';
import { forwarderAccount, partOf } from './identities.ts';
import { toClusterBinding } from './roles.ts';

const { name } = forwarderProgram;
const { namespace } = forwarderAccount;
const selector = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': partOf };
const metadata = { name, namespace, labels: selector };
const probePort = 8080;
/** The id of the user `nonroot` of common base images. */
const nonroot = 65_532;
/** The grace period. Sending pending messages takes at most 18 s. */
const graceSeconds = 30;

const container = {
  name,
  // The image. Replace it with the image that you build, see infra/containers.
  image: 'watch-forwarder',
  envFrom: [{ configMapRef: { name } }],
  // The kubelet sends probes to the pod's address, which is an IPv6 address in IPv6 clusters.
  env: [{ name: 'CAPI_PROBE_ADDRESS', value: `:${probePort}` }],
  ports: [{ name: 'probes', containerPort: probePort }],
  livenessProbe: { httpGet: { path: '/healthz', port: 'probes' }, periodSeconds: 10, timeoutSeconds: 5 },
  readinessProbe: { httpGet: { path: '/readyz', port: 'probes' }, periodSeconds: 5, timeoutSeconds: 5 },
  // The memory limit. The measured use is at most 116 MiB with 10,000 Machines.
  resources: { requests: { cpu: '20m', memory: '96Mi' }, limits: { memory: '192Mi' } },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
};

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata,
  spec: {
    replicas: 2,
    selector: { matchLabels: selector },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
    template: {
      metadata: { labels: selector },
      spec: {
        serviceAccountName: forwarderAccount.name,
        terminationGracePeriodSeconds: graceSeconds,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: nonroot,
          runAsGroup: nonroot,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'kubernetes.io/hostname',
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: { matchLabels: selector },
          },
        ],
        containers: [container],
      },
    },
  },
};

const tcp = (port: number) => ({ protocol: 'TCP', port });

/** Ingress for probes and metrics. Egress to DNS, to the API server and AWS with TLS, and to the Pod Identity agent. */
const networkPolicy = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata,
  spec: {
    podSelector: { matchLabels: selector },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ ports: [tcp(probePort)] }],
    egress: [
      { ports: [{ protocol: 'UDP', port: 53 }, tcp(53)] },
      { ports: [tcp(443), tcp(6443)] },
      {
        to: [{ ipBlock: { cidr: '169.254.170.23/32' } }, { ipBlock: { cidr: 'fd00:ec2::23/128' } }],
        ports: [tcp(80)],
      },
    ],
  },
};

/** The manifests by file name. */
export const namespaceManifest = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
} as const;

export const forwarderManifests: Readonly<Record<string, object>> = {
  namespace: namespaceManifest,
  'service-account': { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
  'cluster-role-binding': toClusterBinding(name, { kind: 'account', ...forwarderAccount }),
  deployment,
  'pod-disruption-budget': {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata,
    spec: { maxUnavailable: 1, selector: { matchLabels: selector } },
  },
  'network-policy': networkPolicy,
};

/** An overlay adds the values that depend on the deployment. The process reports missing values. */
export const forwarderSettings = {
  name,
  namespace,
  literals: ['CAPI_QUEUE_URLS='],
} as const;
