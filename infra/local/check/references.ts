// What objects of the files say of each other: templates of classes, classes of Clusters.
import * as z from 'zod/mini';
import { readClassSpec } from '../../../shared/admission/class.ts';
import { clusterGroup } from '../../../shared/api/cluster/reader.ts';
import { section, text } from '../../../shared/api/fields.ts';
import { groupOf, type Intent } from '../../../shared/api/object.ts';
import type { Problem } from './finding.ts';
import { type Template, templatesOf } from './templates.ts';

export function isClusterClass({ apiVersion, kind }: Pick<Intent, 'apiVersion' | 'kind'>): boolean {
  return kind === 'ClusterClass' && groupOf(apiVersion) === clusterGroup;
}

/** The objects of the files, by what can refer to them. */
export interface Objects {
  find(of: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  }): Intent | undefined;
}

export interface Told {
  readonly problems: readonly Problem[];
  readonly notes: readonly string[];
}

/** Templates that are not in the files, or that are there in another version. */
export function checkTemplates(object: Intent, objects: Objects): Told {
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
    ({ field, reference }): Problem => ({
      severity: 'warning',
      field,
      message: `${reference.kind} ${reference.name} is not in the files`,
    }),
  );
  const otherwise = templates.flatMap(template => tellVersion(template, findTemplate(object, template, objects)));
  return { problems: [...absent, ...otherwise], notes: [] };
}

export function findTemplate({ metadata }: Intent, { reference }: Template, objects: Objects): Intent | undefined {
  return objects.find({ ...reference, namespace: metadata.namespace ?? '' });
}

function tellVersion({ field, reference }: Template, found: Intent | undefined): readonly Problem[] {
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

/** The class that a Cluster is made from, if it is made from one. */
export function classOf(cluster: Intent, objects: Objects): Intent | 'none' | 'missing' {
  const { topology } = topologySchema.parse(cluster['spec']);
  if (topology?.classRef.name === undefined) {
    return 'none';
  }
  const { name, namespace = cluster.metadata.namespace ?? '' } = topology.classRef;
  return objects.find({ apiVersion: cluster.apiVersion, kind: 'ClusterClass', namespace, name }) ?? 'missing';
}
