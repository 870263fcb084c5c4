// Uses every permission of the ClusterClass role.
import { aClusterClass, templates } from '../../../support/cluster-class.ts';
import { anExtension, definingNothing, isTrue } from '../extension.ts';
import { namespace, type RightsStage } from '../stage.ts';

/** A class with a template of each role and an extension that defines a variable. */
export async function scenario(stage: RightsStage): Promise<void> {
  const { client } = stage;
  await anExtension(stage, { name: 'variables', ...definingNothing });
  for (const template of Object.values(templates)) {
    await client.create(template.in(namespace).intent());
  }
  const clusterClass = aClusterClass().in(namespace).discovering({ patch: 'define.variables' });
  await client.create(clusterClass.intent());
  const { apiVersion, kind, metadata } = clusterClass.build();
  await client.until({ apiVersion, kind, namespace, name: metadata.name }, isTrue('VariablesReady'));
}
