// Checks that the paths of a class's patches exist in its templates. Patches are applied in order to copies of the
// templates, and their conditions are ignored. A path that is missing in this check is always missing.

import { type Intent, isJsonObject } from '@capi-serverless/apimachinery';
import type { ObjectProblem } from '../../local/findings/finding.ts';
import {
  type ClassSpec,
  type JsonPatchDefinition,
  type PatchDefinition,
  readClassSpec,
} from '../../shared/api/cluster-class/class-spec.ts';
import { matchesClassName } from '../../shared/topology/model/class-name-pattern.ts';
import { type FileObjects, findTemplate } from './check-templates.ts';
import { templatesOf, type Use, type UsedTemplate } from './used-templates.ts';

/** The placeholder for a value that only a reconcile knows. Any path may exist below it. */
const anything = Symbol('anything');

export function checkPatchPaths(object: Intent, objects: FileObjects): readonly ObjectProblem[] {
  const shape = readClassSpec(object['spec']);
  return templatesOf(shape).flatMap(template => {
    const found = findTemplate(object, template, objects);
    return found === undefined ? [] : checkTemplate(template, found, shape);
  });
}

function checkTemplate(template: UsedTemplate, found: Intent, { patches }: ClassSpec): readonly ObjectProblem[] {
  const copy: unknown = structuredClone(found);
  return patches.flatMap((patch, order) =>
    (patch.definitions ?? []).flatMap((definition, at) => {
      if (!isSelected(template, definition)) {
        return [];
      }
      return definition.jsonPatches.flatMap((operation, index) => {
        const missing = apply(copy, operation);
        const field = `spec.patches[${order}].definitions[${at}].jsonPatches[${index}].path`;
        return missing === undefined ? [] : [toProblem(field, operation, { missing, found })];
      });
    }),
  );
}

function toProblem(
  field: string,
  { op, path }: JsonPatchDefinition,
  { missing, found }: { readonly missing: string; readonly found: Intent },
): ObjectProblem {
  const template = `${found.kind} ${found.metadata.name}`;
  const remedy =
    op === 'add' ? `add ${missing} first, or put it into the template` : 'use add, or put it into the template';
  const message = `${template} has no ${missing}, so that ${op} ${path} fails unless the API server fills it in; ${remedy}`;
  return { severity: 'warning', field, message };
}

function isSelected({ reference, use }: UsedTemplate, { selector }: PatchDefinition): boolean {
  const { apiVersion, kind, matchResources: match } = selector;
  return apiVersion === reference.apiVersion && kind === reference.kind && matches(use, match);
}

function matches(use: Use, match: PatchDefinition['selector']['matchResources']): boolean {
  switch (use.for) {
    case 'remediation':
      return false;
    case 'controlPlane':
    case 'infrastructureCluster':
      return match[use.for];
    case 'machineDeploymentClass':
    case 'machinePoolClass':
      return match[use.for].names.some(name => matchesClassName(use.class, name));
  }
}

/** Changes the document. Returns the pointer of the missing parent or value. */
function apply(document: unknown, { op, path, value }: JsonPatchDefinition): string | undefined {
  const steps = path.split('/').slice(1);
  const keys = steps.map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop();
  let parent = document;
  for (const [depth, key] of keys.entries()) {
    parent = childOf(parent, key);
    if (parent === anything) {
      return undefined;
    }
    if (!isJsonObject(parent) && !Array.isArray(parent)) {
      return `/${steps.slice(0, depth + 1).join('/')}`;
    }
  }
  if (last === undefined) {
    return undefined;
  }
  if (op !== 'add' && childOf(parent, last) === undefined) {
    return path;
  }
  write(parent, { op, key: last, value: value === undefined ? anything : structuredClone(value) });
  return undefined;
}

function childOf(parent: unknown, key: string): unknown {
  if (Array.isArray(parent)) {
    return parent[Number(key)];
  }
  return isJsonObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined;
}

function write(
  parent: unknown,
  { op, key, value }: { readonly op: string; readonly key: string; readonly value: unknown },
): void {
  if (Array.isArray(parent)) {
    parent.splice(key === '-' ? parent.length : Number(key), 0, value);
  } else if (isJsonObject(parent)) {
    // True: the document is a copy.
    const own = parent as Record<string, unknown>;
    if (op === 'remove') {
      delete own[key];
    } else {
      Object.defineProperty(own, key, { value, writable: true, enumerable: true, configurable: true });
    }
  }
}
