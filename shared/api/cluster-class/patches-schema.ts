// Schema of `ClusterClass.spec.patches`.
import {
  anyValue,
  atomicList,
  choice,
  filledObject,
  filledText,
  flag,
  type JsonSchema,
  object,
  textMap,
} from '../schema/json-schema.ts';
import { apiVersion, kindName } from '../schema/name-schemas.ts';

/** The name of an extension: `<handler>.<ExtensionConfig>`. */
export function extensionName(description: string): JsonSchema {
  return filledText(description, 512);
}

function classNames(description: string): JsonSchema {
  const name = filledText('Name of a class; may begin or end with *.', 256);
  return object(description, { names: atomicList('Names of the classes.', name, { maxItems: 100 }) });
}

const selector = object(
  'Which templates are patched.',
  {
    apiVersion: apiVersion('Group and version of the templates.'),
    kind: kindName('Kind of the templates.'),
    matchResources: filledObject('Selects templates by the objects that use them.', {
      controlPlane: flag('Templates of the control plane and of its machines.'),
      infrastructureCluster: flag('The template of the infrastructure.'),
      machineDeploymentClass: classNames('Templates of these classes of MachineDeployments.'),
      machinePoolClass: classNames('Templates of these classes of MachinePools.'),
    }),
  },
  { required: ['apiVersion', 'kind', 'matchResources'] },
);

const jsonPatch = object(
  'One change.',
  {
    op: choice('The operation.', ['add', 'replace', 'remove']),
    path: filledText('The JSON pointer, below /spec.', 512),
    value: anyValue('The value to write.'),
    valueFrom: object('Where the value to write comes from.', {
      variable: filledText('Name of a variable, or a path into one.', 256),
      template: filledText('A Go template whose output is YAML or JSON.', 10240),
    }),
  },
  { required: ['op', 'path'] },
);

const definition = object(
  'Changes to one kind of template.',
  {
    selector,
    jsonPatches: atomicList('The changes, in order.', jsonPatch, { minItems: 1, maxItems: 100 }),
  },
  { required: ['selector', 'jsonPatches'] },
);

const patch = object(
  'One set of changes to templates.',
  {
    name: filledText('Name of the patch.', 256),
    description: filledText('What it is for.', 1024),
    enabledIf: filledText('A Go template; the patch applies when its output is true.', 256),
    definitions: atomicList('The changes, spelled out.', definition, { maxItems: 100 }),
    external: object('An extension that computes the changes.', {
      generatePatchesExtension: extensionName('Handler that computes the changes.'),
      validateTopologyExtension: extensionName('Handler that validates the result.'),
      discoverVariablesExtension: extensionName('Handler that defines variables.'),
      settings: textMap('Settings handed to the extension.'),
    }),
  },
  { required: ['name'] },
);

export const patches = atomicList('Changes to templates, applied in order.', patch, { minItems: 1, maxItems: 1000 });
