// Checks references between objects of the files: from classes to templates, and from Clusters to classes.

import { groupOf, type Intent } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import type { ObjectProblem } from '../../local/findings/finding.ts';
import { clusterGroup } from '../../shared/api/cluster/reader.ts';
import { readClassSpec } from '../../shared/api/cluster-class/class-spec.ts';
import { section, text } from '../../shared/api/fields.ts';
import { templatesOf, type UsedTemplate } from './used-templates.ts';

export function isClusterClass({ apiVersion, kind }: Pick<Intent, 'apiVersion' | 'kind'>): boolean {
  return kind === 'ClusterClass' && groupOf(apiVersion) === clusterGroup;
}

/** The objects of the files, indexed by the form of references to them. */
export interface FileObjects {
  find(of: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  }): Intent | undefined;
  /** Returns the namespaces in which the files have such an object. */
  namespacesOf(of: { readonly apiVersion: string; readonly kind: string; readonly name: string }): readonly string[];
}

export interface CheckResult {
  readonly problems: readonly ObjectProblem[];
  readonly notes: readonly string[];
}

/** Returns templates that are not in the files, or exist there only in another version. */
export function checkTemplates(object: Intent, objects: FileObjects): CheckResult {
  const templates = templatesOf(readClassSpec(object['spec']));
  const missing = templates.filter(template => findTemplate(object, template, objects) === undefined);
  const { name } = object.metadata;
  if (missing.length === templates.length && templates.length > 0) {
    return {
      problems: [],
      notes: [`no template of ClusterClass ${name} is in the files: nothing was compared with them`],
    };
  }
  const absent = missing.map(
    ({ field, reference }): ObjectProblem => ({
      severity: 'warning',
      field,
      message: `${reference.kind} ${reference.name} is not in the files`,
    }),
  );
  const otherwise = templates.flatMap(template => problemsOfVersion(template, findTemplate(object, template, objects)));
  return { problems: [...absent, ...otherwise], notes: [] };
}

export function findTemplate(
  { metadata }: Intent,
  { reference }: UsedTemplate,
  objects: FileObjects,
): Intent | undefined {
  return objects.find({ ...reference, namespace: metadata.namespace ?? '' });
}

function problemsOfVersion({ field, reference }: UsedTemplate, found: Intent | undefined): readonly ObjectProblem[] {
  if (found === undefined || found.apiVersion === reference.apiVersion) {
    return [];
  }
  const message = `refers to ${reference.apiVersion}, but the files have ${reference.kind} ${reference.name} in ${found.apiVersion}`;
  return [{ severity: 'warning', field: `${field}.apiVersion`, message }];
}

const topologySchema = section({
  topology: z.catch(
    z.optional(
      z.looseObject({
        classRef: section({ name: text, namespace: text }),
      }),
    ),
    undefined,
  ),
});

export function isCluster({ apiVersion, kind }: Pick<Intent, 'apiVersion' | 'kind'>): boolean {
  return kind === 'Cluster' && groupOf(apiVersion) === clusterGroup;
}

/** Returns the class of a Cluster, if the Cluster has a topology. */
export function classOf(cluster: Intent, objects: FileObjects): Intent | 'none' | 'missing' {
  const { topology } = topologySchema.parse(cluster['spec']);
  if (topology?.classRef.name === undefined) {
    return 'none';
  }
  const { name, namespace = cluster.metadata.namespace ?? '' } = topology.classRef;
  return objects.find({ apiVersion: cluster.apiVersion, kind: 'ClusterClass', namespace, name }) ?? 'missing';
}
