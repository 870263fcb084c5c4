import { defaultFeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import { describe, expect, it } from 'vitest';
import { settings } from '../../../../docs/settings.ts';
import { ConfigError, parseConfig } from '../../../../shared/config/env.ts';

/** A value for each setting, none of which is its default. */
const everySetting = {
  CAPI_QUEUE_URLS: 'https://sqs.eu-central-1.amazonaws.com/123456789012/capi-{delay,work-cluster.fifo}',
  CAPI_KUBECONFIG: '/etc/kubeconfig',
  CAPI_KUBECONFIG_SECRET: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:kubeconfig-AbCdEf',
  CAPI_EKS_CLUSTER: 'mgmt',
  CAPI_EKS_ENDPOINT: 'https://ABC.gr7.eu-central-1.eks.amazonaws.com',
  CAPI_EKS_CERTIFICATE_AUTHORITY_FILE: '/opt/ca.pem',
  CAPI_MANAGEMENT_CLUSTER: 'uid',
  CAPI_WATCH_FILTER: 'blue',
  CAPI_RESYNC_PERIOD_SECONDS: '1200',
  CAPI_FULL_RESYNC_PERIOD_SECONDS: '7200',
  CAPI_STATE_NAMESPACE: 'capi',
  CAPI_PROBE_ADDRESS: '[::]:9090',
  CAPI_PROVIDER_GROUPS: 'infrastructure.example.com, other.example.com',
  CAPI_AUDIT_TOKENS_FILE: '/etc/audit/tokens',
  CAPI_AUDIT_TOKENS: 'one,two',
  CAPI_AUDIT_TOKENS_SECRET: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:tokens-AbCdEf',
  CAPI_ADMISSION_TOKENS_FILE: '/etc/admission/tokens',
  CAPI_ADMISSION_TOKENS: 'three',
  CAPI_ADMISSION_TOKENS_SECRET: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:admission-AbCdEf',
  CAPI_CONVERSION_TOKENS_FILE: '/etc/conversion/tokens',
  CAPI_CONVERSION_TOKENS: 'four',
  CAPI_CONVERSION_TOKENS_SECRET: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:conversion-AbCdEf',
  CAPI_CONCURRENCY: '50',
  CAPI_TIME_LIMIT_FACTOR: '20',
  CAPI_FEATURE_GATES: 'ClusterTopology=true,RuntimeSDK=true,MachinePool=false',
  CAPI_REMOTE_PROBE: 'off',
  CAPI_REMOTE_CONNECTION_GRACE_PERIOD_SECONDS: '120',
  CAPI_REMOTE_CONDITIONS_GRACE_PERIOD_SECONDS: '240',
  CAPI_NODE_PERIOD_SECONDS: '600',
  CAPI_WATCH_NODES: 'on',
  CAPI_ADDITIONAL_SYNC_MACHINE_LABELS: '^zone$, example\\.com',
  CAPI_ADDITIONAL_SYNC_MACHINE_ANNOTATIONS: 'note',
  CAPI_DRAIN_FINISHED_PODS: 'wait',
  CAPI_INLINE_DATA_SECRET: 'created',
  CAPI_MACHINESET_PREFLIGHT_CHECKS: 'ControlPlaneIsStable, KubeadmVersionSkew',
  CAPI_REMOTE_ADDRESSES: 'any',
  CAPI_CLASS_NAMESPACES: 'blue, green',
  CAPI_EXTENSION_SERVICES: 'dns',
  CAPI_EXTENSION_CLIENT_CERT_FILE: '/etc/extensions/tls.crt',
  CAPI_EXTENSION_CLIENT_KEY_FILE: '/etc/extensions/tls.key',
  CAPI_EXTENSION_CLIENT_CERTIFICATE_SECRET: '',
  CAPI_LOG_LEVEL: 'debug',
  CAPI_METRICS: 'few',
  CAPI_DEPLOYMENT: 'capi-prod',
  CAPI_TRACING: 'xray',
};

const admissionTokens = {
  file: '/etc/admission/tokens',
  secret: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:admission-AbCdEf',
  tokens: ['three'],
};
const conversionTokens = {
  file: '/etc/conversion/tokens',
  secret: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:conversion-AbCdEf',
  tokens: ['four'],
};

describe('the environment of a function', () => {
  it('may be empty', () => {
    expect(parseConfig({})).toEqual({
      queueUrls: {},
      kubeconfigPath: undefined,
      kubeconfigSecret: undefined,
      eks: undefined,
      managementCluster: undefined,
      watchFilter: '',
      resyncPeriodSeconds: 600,
      fullResyncPeriodSeconds: 86_400,
      stateNamespace: 'kube-system',
      probeAddress: { host: '127.0.0.1', port: 8080 },
      providerGroups: ['infrastructure', 'bootstrap', 'controlplane'].map(name => `${name}.cluster.x-k8s.io`),
      auditTokens: { file: undefined, secret: undefined, tokens: undefined },
      admissionTokens: { file: undefined, secret: undefined, tokens: undefined },
      conversionTokens: { file: undefined, secret: undefined, tokens: undefined },
      concurrency: 4,
      timeLimitFactor: 1,
      featureGates: defaultFeatureGates,
      remoteProbe: 'on-reconcile',
      remoteConnectionGracePeriodSeconds: 50,
      remoteConditionsGracePeriodSeconds: 300,
      nodePeriodSeconds: 0,
      watchesNodes: false,
      machineKeys: { labels: [], annotations: [] },
      waitsForFinishedPods: false,
      countsInlineDataSecret: false,
      machineSetPreflightChecks: ['All'],
      remoteAddresses: 'routable',
      classNamespaces: 'any',
      extensions: { services: 'refuse', addresses: 'routable', certificate: { kind: 'none' } },
      logLevel: 'info',
      metricLevel: 'off',
      deployment: 'capi-serverless',
    });
  });

  it('has a full resync period that is at least the resync period', () => {
    const given = { CAPI_RESYNC_PERIOD_SECONDS: '3600', CAPI_FULL_RESYNC_PERIOD_SECONDS: '600' };
    expect(parseConfig(given).fullResyncPeriodSeconds).toBe(3600);
  });

  it('is parsed completely', () => {
    expect(Object.keys(everySetting)).toEqual(settings.map(({ name }) => name));
    const given = { AWS_XRAY_DAEMON_ADDRESS: '169.254.79.129:2000', AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '256' };
    expect(parseConfig({ ...everySetting, ...given })).toEqual({
      memoryMiB: 256,
      queueUrls: {
        delay: 'https://sqs.eu-central-1.amazonaws.com/123456789012/capi-delay',
        'work-cluster.fifo': 'https://sqs.eu-central-1.amazonaws.com/123456789012/capi-work-cluster.fifo',
      },
      kubeconfigPath: '/etc/kubeconfig',
      kubeconfigSecret: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:kubeconfig-AbCdEf',
      eks: {
        cluster: 'mgmt',
        endpoint: 'https://ABC.gr7.eu-central-1.eks.amazonaws.com',
        certificateAuthorityFile: '/opt/ca.pem',
      },
      managementCluster: 'uid',
      watchFilter: 'blue',
      resyncPeriodSeconds: 1200,
      fullResyncPeriodSeconds: 7200,
      stateNamespace: 'capi',
      probeAddress: { host: '::', port: 9090 },
      providerGroups: ['infrastructure.example.com', 'other.example.com'],
      auditTokens: {
        file: '/etc/audit/tokens',
        secret: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:tokens-AbCdEf',
        tokens: ['one', 'two'],
      },
      admissionTokens,
      conversionTokens,
      concurrency: 50,
      timeLimitFactor: 20,
      featureGates: { ...defaultFeatureGates, ClusterTopology: true, RuntimeSDK: true, MachinePool: false },
      remoteProbe: 'off',
      remoteConnectionGracePeriodSeconds: 120,
      remoteConditionsGracePeriodSeconds: 240,
      nodePeriodSeconds: 600,
      watchesNodes: true,
      machineKeys: { labels: ['^zone$', 'example\\.com'], annotations: ['note'] },
      waitsForFinishedPods: true,
      countsInlineDataSecret: true,
      machineSetPreflightChecks: ['ControlPlaneIsStable', 'KubeadmVersionSkew'],
      remoteAddresses: 'any',
      classNamespaces: ['blue', 'green'],
      extensions: {
        services: 'dns',
        addresses: 'any',
        certificate: { kind: 'files', certificate: '/etc/extensions/tls.crt', key: '/etc/extensions/tls.key' },
      },
      logLevel: 'debug',
      metricLevel: 'few',
      deployment: 'capi-prod',
      tracer: '169.254.79.129:2000',
    });
  });

  it('reads the client certificate for extension servers from a secret', () => {
    const arn = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:client-AbCdEf';
    expect(parseConfig({ CAPI_EXTENSION_CLIENT_CERTIFICATE_SECRET: arn }).extensions).toEqual({
      services: 'refuse',
      addresses: 'routable',
      certificate: { kind: 'secret', arn },
    });
  });

  it('treats an empty variable as unset', () => {
    const empty = Object.fromEntries(settings.map(({ name }) => [name, '']));
    expect(parseConfig(empty)).toEqual(parseConfig({}));
  });

  it('has the defaults of the settings', () => {
    const promised = Object.fromEntries(settings.map(setting => [setting.name, setting.default]));
    expect(parseConfig(promised)).toEqual(parseConfig({}));
  });

  it('reads an address without a host as all addresses of the machine', () => {
    expect(parseConfig({ CAPI_PROBE_ADDRESS: ':8080' }).probeAddress).toEqual({ host: undefined, port: 8080 });
  });

  it('uses the default address of the daemon if tracing is on and no other address is set', () => {
    expect(parseConfig({ CAPI_TRACING: 'xray' }).tracer).toBe('127.0.0.1:2000');
    expect(parseConfig({ AWS_XRAY_DAEMON_ADDRESS: 'udp 2000' }).tracer).toBeUndefined();
  });

  it('ignores other variables', () => {
    expect(parseConfig({ AWS_REGION: 'eu-central-1', CAPI_TEST_FACTS: undefined })).toEqual(parseConfig({}));
  });

  it.each([
    {
      env: { CAPI_EKS_CLUSTER: 'mgmt' },
      problem: 'CAPI_EKS_CLUSTER, CAPI_EKS_ENDPOINT and CAPI_EKS_CERTIFICATE_AUTHORITY_FILE go together',
    },
    { env: { CAPI_EKS_ENDPOINT: 'http://mgmt' }, problem: 'CAPI_EKS_ENDPOINT: must be https://host' },
    {
      env: { CAPI_TRACING: 'xray', AWS_XRAY_DAEMON_ADDRESS: 'udp 2000' },
      problem: 'AWS_XRAY_DAEMON_ADDRESS: must be host:port',
    },
    { env: { CAPI_KUBECONFIG_SECRET: 'mgmt' }, problem: 'CAPI_KUBECONFIG_SECRET: must be the ARN of a secret' },
    {
      env: { CAPI_QUEUE_URLS: 'delay=https://example.com' },
      problem: 'CAPI_QUEUE_URLS: must be <beginning of the URLs>{<name>,<name>,…}',
      reason: 'no URL',
    },
    {
      env: { CAPI_CLASS_NAMESPACES: 'blue,Green' },
      problem: 'CAPI_CLASS_NAMESPACES.1: must be a namespace',
    },
    {
      env: { CAPI_STATE_NAMESPACE: 'A b' },
      problem: 'CAPI_STATE_NAMESPACE: must be a namespace',
      reason: 'not a name',
    },
    {
      env: { CAPI_PROBE_ADDRESS: '8080' },
      problem: 'CAPI_PROBE_ADDRESS: must be host:port or :port',
      reason: 'no colon',
    },
    {
      env: { CAPI_QUEUE_URLS: 'https://sqs.example.com/1/delay' },
      problem: 'CAPI_QUEUE_URLS: must be <beginning of the URLs>{<name>,<name>,…}',
      reason: 'no braces',
    },
    {
      env: { CAPI_QUEUE_URLS: '{"delay":"https://sqs.example.com/1/delay"}' },
      problem: 'CAPI_QUEUE_URLS: must be <beginning of the URLs>{<name>,<name>,…}',
      reason: 'the format of a former release',
    },
    {
      env: { CAPI_RESYNC_PERIOD_SECONDS: 'ten minutes' },
      problem: 'CAPI_RESYNC_PERIOD_SECONDS: expected number',
      reason: 'not a number',
    },
    {
      env: { CAPI_RESYNC_PERIOD_SECONDS: '59' },
      problem: 'CAPI_RESYNC_PERIOD_SECONDS: expected at least 60',
      reason: 'too frequent for its cost',
    },
    {
      env: { CAPI_RESYNC_PERIOD_SECONDS: '86401' },
      problem: 'CAPI_RESYNC_PERIOD_SECONDS: expected at most 86400',
      reason: 'more than a day',
    },
    {
      env: { CAPI_RESYNC_PERIOD_SECONDS: '90.5' },
      problem: 'CAPI_RESYNC_PERIOD_SECONDS: expected int',
      reason: 'a fraction',
    },
    {
      env: { CAPI_TIME_LIMIT_FACTOR: '0.5' },
      problem: 'CAPI_TIME_LIMIT_FACTOR: expected at least 1',
    },
    {
      env: { CAPI_CONCURRENCY: '1' },
      problem: 'CAPI_CONCURRENCY: expected at least 2',
      reason: 'below the minimum of an event source mapping',
    },
    {
      env: { CAPI_EXTENSION_CLIENT_KEY_FILE: '/key' },
      problem:
        'CAPI_EXTENSION_CLIENT_CERT_FILE and CAPI_EXTENSION_CLIENT_KEY_FILE go together, and not with CAPI_EXTENSION_CLIENT_CERTIFICATE_SECRET',
      reason: 'a key without a certificate',
    },
    {
      env: {
        CAPI_EXTENSION_CLIENT_CERT_FILE: '/crt',
        CAPI_EXTENSION_CLIENT_KEY_FILE: '/key',
        CAPI_EXTENSION_CLIENT_CERTIFICATE_SECRET: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:c-AbCdEf',
      },
      problem:
        'CAPI_EXTENSION_CLIENT_CERT_FILE and CAPI_EXTENSION_CLIENT_KEY_FILE go together, and not with CAPI_EXTENSION_CLIENT_CERTIFICATE_SECRET',
      reason: 'two sources',
    },
    {
      env: { CAPI_EXTENSION_SERVICES: 'proxy' },
      problem: 'CAPI_EXTENSION_SERVICES: expected refuse or dns',
      reason: 'unknown value',
    },
    {
      env: { CAPI_REMOTE_PROBE: 'on' },
      problem: 'CAPI_REMOTE_PROBE: expected on-reconcile or off',
      reason: 'unknown',
    },
    {
      env: { CAPI_REMOTE_CONNECTION_GRACE_PERIOD_SECONDS: '0' },
      problem: 'CAPI_REMOTE_CONNECTION_GRACE_PERIOD_SECONDS: expected at least 1',
      reason: 'no grace period',
    },
    {
      env: { CAPI_REMOTE_CONNECTION_GRACE_PERIOD_SECONDS: '300' },
      problem:
        'CAPI_REMOTE_CONNECTION_GRACE_PERIOD_SECONDS: must be less than CAPI_REMOTE_CONDITIONS_GRACE_PERIOD_SECONDS (300)',
      reason: 'upstream requires less than the grace period of Nodes, five minutes',
    },
    {
      env: { CAPI_REMOTE_CONDITIONS_GRACE_PERIOD_SECONDS: '119' },
      problem: 'CAPI_REMOTE_CONDITIONS_GRACE_PERIOD_SECONDS: expected at least 120',
      reason: 'the minimum of upstream',
    },
    {
      env: { CAPI_WATCH_NODES: 'true' },
      problem: 'CAPI_WATCH_NODES: expected off or on',
    },
    {
      env: { CAPI_DRAIN_FINISHED_PODS: 'skip' },
      problem: 'CAPI_DRAIN_FINISHED_PODS: expected complete or wait',
      reason: 'unknown',
    },
    {
      env: { CAPI_FEATURE_GATES: 'InPlaceUpdates=true' },
      problem: 'CAPI_FEATURE_GATES: InPlaceUpdates=true requires RuntimeSDK=true',
      reason: 'an extension makes the update',
    },
    {
      env: { CAPI_FEATURE_GATES: 'ClusterTopology=yes' },
      problem: 'CAPI_FEATURE_GATES: ClusterTopology must be true or false',
      reason: 'neither on nor off',
    },
    {
      env: { CAPI_FEATURE_GATES: 'MachinePool=true,Warp=true' },
      problem:
        'CAPI_FEATURE_GATES: "Warp=true" names no gate that is known here: ClusterTopology, RuntimeSDK, MachinePool, ClusterResourceSet, InPlaceUpdates, MachineTaintPropagation',
      reason: 'a gate without effect here',
    },
    { env: { CAPI_LOG_LEVEL: 'loud' }, problem: 'CAPI_LOG_LEVEL: expected debug or info or error', reason: 'unknown' },
  ])('is refused for $env ($reason)', ({ env, problem }) => {
    expect(() => parseConfig(env)).toThrow(new ConfigError(`Environment is not valid: ${problem}`));
  });

  it('is refused with all errors at once', () => {
    expect(() => parseConfig({ CAPI_LOG_LEVEL: 'loud', CAPI_RESYNC_PERIOD_SECONDS: '1' })).toThrow(
      /CAPI_RESYNC_PERIOD_SECONDS: .*; CAPI_LOG_LEVEL: /,
    );
  });
});

it.each([
  { value: 'any', allowed: 'any' },
  { value: 'same', allowed: [] },
  { value: 'blue, green', allowed: ['blue', 'green'] },
])('CAPI_CLASS_NAMESPACES=$value limits the namespaces of classes', ({ value, allowed }) => {
  expect(parseConfig({ CAPI_CLASS_NAMESPACES: value }).classNamespaces).toEqual(allowed);
});
