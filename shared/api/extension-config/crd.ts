// The definition of ExtensionConfig (runtime.cluster.x-k8s.io/v1beta2). It does not serve the deprecated version
// v1alpha1, which needs a conversion webhook. An installed definition of upstream is never replaced by this one.
import { coreLabels } from '../schema/core.ts';
import { ageColumn, conditionColumn, toDefinition, wide } from '../schema/definition.ts';
import { bytes, choice, filledObject, filledText, int32, listByKeys, object, textMap } from '../schema/json-schema.ts';
import { labelSelector } from '../schema/metadata-schemas.ts';
import { conditions, deprecated } from '../schema/status-schemas.ts';
import { extensionConfigKind } from './kind.ts';

const service = object(
  'A Service in this management cluster that leads to the extension server.',
  {
    name: filledText('Name of the Service.', 63),
    namespace: filledText('Namespace of the Service.', 63),
    path: filledText('Prefix of all paths of the extension server; begins with /.', 512),
    port: int32('Port of the Service, 1 to 65535. Default 443.'),
  },
  { required: ['name', 'namespace'] },
);

const clientConfig = filledObject('Where the extension server is: exactly one of url and service.', {
  url: filledText('Address for servers outside the management cluster: https, without user and fragment.', 512),
  service,
  caBundle: bytes('Certificate authorities that verify the server, as PEM. Default: those of the system.', 51200),
});

const spec = object(
  'Where the extension server is, and for which objects it is called.',
  {
    clientConfig,
    namespaceSelector: labelSelector('Namespaces whose objects it is called for. Empty: all.'),
    settings: textMap('Sent along with every call except Discovery; a ClusterClass may override them.'),
  },
  { required: ['clientConfig'] },
);

const requestHook = object(
  'The hook that it serves.',
  {
    apiVersion: filledText('Group and version of the hook.', 512),
    hook: filledText('Name of the hook.', 256),
  },
  { required: ['apiVersion', 'hook'] },
);

const handler = object(
  'One handler of the extension server.',
  {
    name: filledText('Name of the handler, a dot, and the name of this object.', 512),
    requestHook,
    timeoutSeconds: int32('How long a call may take. Default 10.', { minimum: 1 }),
    failurePolicy: choice('Whether a call without an answer is an error. Default Fail.', ['Ignore', 'Fail']),
  },
  { required: ['name', 'requestHook'] },
);

const status = filledObject('Observed state of the extension server.', {
  conditions,
  handlers: listByKeys('The handlers that the last successful discovery returned.', ['name'], handler, {
    maxItems: 512,
  }),
  deprecated: deprecated({}),
});

export const extensionConfigCrd = toDefinition({
  description: 'A Runtime Extension: a server that is called at certain steps of the lifecycle of Clusters.',
  ...extensionConfigKind,
  shortNames: ['ext'],
  labels: coreLabels,
  spec,
  status,
  columns: [conditionColumn('Paused', { priority: wide }), conditionColumn('Discovered'), ageColumn],
});
