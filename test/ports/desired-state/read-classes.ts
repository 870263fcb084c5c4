// The classes of this comparison, in the shapes that providers publish, with the definitions of all their kinds.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crdNameOf, groupOf, type Intent, pluralOf, versionOf } from '@capi-serverless/apimachinery';
import { toAssumedDefinition } from '../../../cli/plan/assumed-definition.ts';
import { parseManifests } from '../../../local/manifests.ts';

const namespace = 'ns';

export interface ComparedClass {
  readonly name: string;
  readonly clusterClass: Intent;
  readonly templates: readonly Intent[];
  /** A kind in version v1beta2 has this contract. All other kinds have contract v1beta1. */
  readonly definitions: readonly Intent[];
}

/** Returns the classes in the order of their names. */
export function readClasses(): readonly ComparedClass[] {
  const folder = join(import.meta.dirname, 'classes');
  return readdirSync(folder)
    .toSorted()
    .map(name =>
      toClass(name.replace('.yaml', ''), parseManifests(readFileSync(join(folder, name), 'utf8'), name, namespace)),
    );
}

function toClass(name: string, [clusterClass, ...templates]: readonly Intent[]): ComparedClass {
  if (clusterClass?.kind !== 'ClusterClass') {
    throw new Error(`The first object of ${name} is not a ClusterClass`);
  }
  const definitions = new Map(
    templates
      .flatMap(({ apiVersion, kind }) =>
        [kind, kind.replace(/Template$/, '')].map(each => definitionOf(apiVersion, each)),
      )
      .map(definition => [definition.metadata.name, definition]),
  );
  return { name, clusterClass, templates, definitions: [...definitions.values()] };
}

function definitionOf(apiVersion: string, kind: string): Intent {
  const [group, version] = [groupOf(apiVersion), versionOf(apiVersion)];
  const contract = version === 'v1beta2' ? version : 'v1beta1';
  const labels = { [`cluster.x-k8s.io/${contract}`]: version };
  return {
    ...toAssumedDefinition({ group, kind, plural: pluralOf(kind), version, labels, isNamed: true }),
    metadata: { name: crdNameOf({ group, kind }), labels },
  };
}
