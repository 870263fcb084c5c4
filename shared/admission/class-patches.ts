// Patches of a ClusterClass: their names, selectors and values.
import {
  type FieldError,
  forbidden,
  invalidValue,
  problemsOfLabelKey,
  quote,
  requiredValue,
  unsupportedValue,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { parseTemplate } from '@capi-serverless/go-template/plain';
import type {
  ClassPatch,
  ClassSpec,
  JsonPatchDefinition,
  MachineDeploymentClass,
  MachinePoolClass,
  PatchSelector,
} from '../api/cluster-class/class-spec.ts';
import { isDefinedTemplateRef, type TemplateRef } from '../api/topology-parts.ts';
import { matchesClassName } from '../topology/model/class-name-pattern.ts';
import { builtinVariables } from './builtins.ts';

interface PatchOptions {
  readonly runtimeSdk: boolean;
  /** The names of the inline variables. */
  readonly variables: ReadonlySet<string>;
}

export function problemsOfPatches(spec: ClassSpec, options: PatchOptions): readonly FieldError[] {
  const seen = new Set<string>();
  return spec.patches.flatMap((patch, index) => {
    const field = `spec.patches[${index}]`;
    const ofName = problemsOfName(patch.name, `${field}.name`, seen);
    seen.add(patch.name);
    return [...ofName, ...problemsOfPatch(patch, field, { spec, ...options })];
  });
}

function problemsOfName(name: string, field: string, seen: ReadonlySet<string>): readonly FieldError[] {
  const repeated = `patch names must be unique. Patch with name ${quote(name)} is defined more than once`;
  return [
    ...(name === '' ? [requiredValue(field, 'patch name must be defined')] : []),
    ...(name === 'inline' ? [requiredValue(field, '"inline" can not be used as the name of a patch')] : []),
    ...(seen.has(name) ? [invalidValue(field, name, repeated)] : []),
  ];
}

interface ClassPatchOptions extends PatchOptions {
  readonly spec: ClassSpec;
}

function problemsOfPatch(patch: ClassPatch, field: string, options: ClassPatchOptions): readonly FieldError[] {
  const { enabledIf, definitions, external } = patch;
  return [
    ...problemsOfTemplate(enabledIf, `${field}.enabledIf`, 'enabledIf'),
    ...(definitions === undefined && external === undefined
      ? [requiredValue(field, 'one of definitions or external must be defined')]
      : []),
    ...(definitions !== undefined && external !== undefined
      ? [
          invalidValue(
            field,
            toPrintedPatch({ ...patch, definitions, external }),
            'only one of definitions or external can be defined',
          ),
        ]
      : []),
    ...(definitions ?? []).flatMap(({ jsonPatches, selector }, index) => [
      ...jsonPatches.flatMap((each, at) =>
        problemsOfJsonPatch(each, `${field}.definitions[${index}].jsonPatches[${at}]`, options),
      ),
      ...problemsOfSelector(selector, `${field}.definitions[${index}].selector`, options.spec),
    ]),
    ...(external === undefined ? [] : problemsOfExternal(external, `${field}.external`, options.runtimeSdk)),
  ];
}

function problemsOfTemplate(template: string, field: string, name: string): readonly FieldError[] {
  const parsed = parseTemplate(template, { name, functions: 'sprig', missingKey: 'default' });
  return parsed.ok ? [] : [invalidValue(field, template, `template can not be parsed: ${parsed.error}`)];
}

function problemsOfExternal(
  external: NonNullable<ClassPatch['external']>,
  field: string,
  runtimeSdk: boolean,
): readonly FieldError[] {
  const { validateTopologyExtension, generatePatchesExtension } = external;
  const off = 'patch.external can be used only if the RuntimeSDK feature flag is enabled';
  const none = 'one of validateTopologyExtension and generatePatchesExtension must be defined';
  const { settings: _, ...handlers } = external;
  const shown = withoutEmpty(handlers);
  return [
    ...(runtimeSdk ? [] : [forbidden(field, off)]),
    ...(validateTopologyExtension === '' && generatePatchesExtension === '' ? [invalidValue(field, shown, none)] : []),
  ];
}

/** Returns the form that the object has inside a text. */
function pretty(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

function problemsOfSelector(selector: PatchSelector, field: string, spec: ClassSpec): readonly FieldError[] {
  const { controlPlane, infrastructureCluster, machineDeploymentClass, machinePoolClass } = selector.matchResources;
  const isEnabled =
    infrastructureCluster ||
    controlPlane ||
    machineDeploymentClass.names.length > 0 ||
    machinePoolClass.names.length > 0;
  if (!isEnabled) {
    return [invalidValue(field, pretty(toPrintedSelector(selector)), 'no selector enabled')];
  }
  const matches = (ref: TemplateRef): boolean => ref.kind === selector.kind && ref.apiVersion === selector.apiVersion;
  const { templateRef, machineInfrastructure } = spec.controlPlane;
  const matchesControlPlane =
    matches(templateRef) ||
    (isDefinedTemplateRef(machineInfrastructure.templateRef) && matches(machineInfrastructure.templateRef));
  const at = `${field}.matchResources`;
  return [
    ...(infrastructureCluster && !matches(spec.infrastructure.templateRef)
      ? [
          invalidValue(
            `${at}.infrastructureCluster`,
            true,
            'selector is enabled but does not match the infrastructure ref',
          ),
        ]
      : []),
    ...(controlPlane && !matchesControlPlane
      ? [
          invalidValue(
            `${at}.controlPlane`,
            true,
            'selector is enabled but matches neither the controlPlane ref nor the controlPlane machineInfrastructure ref',
          ),
        ]
      : []),
    ...problemsOfClasses(machineDeploymentClass.names, `${at}.machineDeploymentClass.names`, {
      classes: spec.workers.machineDeployments,
      kind: 'MachineDeployment',
      matches,
    }),
    ...problemsOfClasses(machinePoolClass.names, `${at}.machinePoolClass.names`, {
      classes: spec.workers.machinePools,
      kind: 'MachinePool',
      matches,
    }),
  ];
}

function toPrintedSelector({ apiVersion, kind, matchResources }: PatchSelector): unknown {
  const { controlPlane, infrastructureCluster, machineDeploymentClass, machinePoolClass } = matchResources;
  const flags = Object.entries({ controlPlane, infrastructureCluster }).filter(([, isOn]) => isOn);
  const classes = Object.entries({ machineDeploymentClass, machinePoolClass }).filter(
    ([, { names }]) => names.length > 0,
  );
  return { apiVersion, kind, matchResources: Object.fromEntries([...flags, ...classes]) };
}

/** A patch that is both inline and external. */
interface DoublePatch extends ClassPatch {
  readonly definitions: NonNullable<ClassPatch['definitions']>;
  readonly external: NonNullable<ClassPatch['external']>;
}

/** Without its empty fields. */
function toPrintedPatch({ definitions, external, ...texts }: DoublePatch): unknown {
  const { settings = {}, ...handlers } = external;
  return {
    ...withoutEmpty(texts),
    definitions: definitions.map(({ selector, jsonPatches }) => ({
      selector: toPrintedSelector(selector),
      jsonPatches: jsonPatches.map(toPrintedJsonPatch),
    })),
    external: { ...withoutEmpty(handlers), ...(Object.keys(settings).length === 0 ? {} : { settings }) },
  };
}

function toPrintedJsonPatch({ op, path, value, valueFrom }: JsonPatchDefinition): unknown {
  return {
    op,
    path,
    ...withoutUndefined({ value }),
    ...(valueFrom === undefined ? {} : { valueFrom: withoutEmpty(valueFrom) }),
  };
}

interface Classes {
  readonly classes: readonly (MachineDeploymentClass | MachinePoolClass)[];
  readonly kind: string;
  readonly matches: (ref: TemplateRef) => boolean;
}

/** After the first invalid name, the remaining names are not checked. */
function problemsOfClasses(
  names: readonly string[],
  field: string,
  { classes, kind, matches }: Classes,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, name] of names.entries()) {
    const problem = problemOfClassPattern(name);
    if (problem !== undefined) {
      return [...errors, invalidValue(`${field}[${index}]`, name, problem)];
    }
    const isMatched = classes.some(
      each =>
        matchesClassName(each.class, name) &&
        (matches(each.infrastructure.templateRef) || matches(each.bootstrap.templateRef)),
    );
    const detail = `selector is enabled but matches neither the bootstrap ref nor the infrastructure ref of a ${kind} class`;
    errors.push(...(isMatched ? [] : [invalidValue(`${field}[${index}]`, name, detail)]));
  }
  return errors;
}

function problemOfClassPattern(name: string): string | undefined {
  const stars = name.split('*').length - 1;
  if (stars > 1) {
    return 'selector can at most contain a single "*" rune';
  }
  if (stars === 1 && !name.startsWith('*') && !name.endsWith('*')) {
    return '"*" rune can only appear at the beginning, or ending of the selector';
  }
  return stars === 1 && problemsOfLabelKey(name.replace('*', 'a')).length > 0
    ? 'selector does not comply with the Kubernetes naming standards'
    : undefined;
}

const operations = ['add', 'remove', 'replace'];

function problemsOfJsonPatch(patch: JsonPatchDefinition, field: string, options: PatchOptions): readonly FieldError[] {
  const shown = pretty(toPrintedJsonPatch(patch));
  return [
    ...(operations.includes(patch.op) ? [] : [unsupportedValue(`${field}.op`, shown, operations)]),
    ...(patch.path.startsWith('/spec')
      ? []
      : [invalidValue(`${field}.path`, shown, 'jsonPatch path must start with "/spec"')]),
    ...problemsOfIndexes(patch, `${field}.path`),
    ...(patch.op === 'add' || patch.op === 'replace' ? problemsOfValue(patch, field, { shown, ...options }) : []),
  ];
}

function withoutEmpty(members: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ''));
}

function problemsOfIndexes({ op, path }: JsonPatchDefinition, field: string): readonly FieldError[] {
  return path
    .split('/')
    .filter(part => /^[+-]?\d+$/.test(part))
    .flatMap(part => {
      if (op === 'add' && Number(part) !== 0) {
        return [invalidValue(field, path, 'arrays can only be accessed using "0" (prepend) or "-" (append)')];
      }
      return op === 'replace' || op === 'remove'
        ? [invalidValue(field, path, `elements in arrays can not be accessed in a ${op} operation`)]
        : [];
    });
}

interface PatchValueOptions extends PatchOptions {
  readonly shown: string;
}

function problemsOfValue(
  { value, valueFrom }: JsonPatchDefinition,
  field: string,
  options: PatchValueOptions,
): readonly FieldError[] {
  const { shown, variables } = options;
  const from = `${field}.valueFrom`;
  const { template = '', variable = '' } = valueFrom ?? {};
  const hasTemplate = template !== '';
  const hasVariable = variable !== '';
  return [
    ...(value === undefined && valueFrom === undefined
      ? [invalidValue(field, shown, 'jsonPatch must define one of value or valueFrom')]
      : []),
    ...(value !== undefined && valueFrom !== undefined
      ? [invalidValue(field, shown, 'jsonPatch can not define both value and valueFrom')]
      : []),
    ...(valueFrom !== undefined && !hasTemplate && !hasVariable
      ? [invalidValue(from, pretty({}), 'valueFrom must set either template or variable')]
      : []),
    ...(hasTemplate && hasVariable
      ? [invalidValue(from, pretty({ variable, template }), 'valueFrom can not set both template and variable')]
      : []),
    ...problemsOfTemplate(template, `${from}.template`, 'valueFrom.template'),
    ...(hasVariable ? problemsOfVariable(variable, `${from}.variable`, variables) : []),
  ];
}

function problemsOfVariable(variable: string, field: string, known: ReadonlySet<string>): readonly FieldError[] {
  if (variable.startsWith('builtin.')) {
    return builtinVariables.has(variable) ? [] : [invalidValue(field, variable, 'not a defined builtin variable')];
  }
  const name = variable.split(/[[.]/).find(part => part !== '') ?? '';
  return known.has(name) ? [] : [invalidValue(field, variable, `variable with name ${variable} cannot be found`)];
}
