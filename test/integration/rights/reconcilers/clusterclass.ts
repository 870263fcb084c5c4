// Uses every permission of the ClusterClass role.
import { aClusterClass, templates } from '../../../support/cluster-class.ts';
import { anExtension, definingNothing, isTrue } from '../extension.ts';
import { namespace, type RightsStage } from '../stage.ts';

/** A class with a template of each role, and with an extension that defines variables if extensions are called. */
export async function scenario(stage: RightsStage): Promise<void> {
  const { client, gates } = stage;
  if (gates.RuntimeSDK) {
    await anExtension(stage, { name: 'variables', ...definingNothing });
  }
  for (const template of Object.values(templates)) {
    await client.create(template.in(namespace).intent());
  }
  const plain = aClusterClass().in(namespace);
  const clusterClass = gates.RuntimeSDK ? plain.discovering({ patch: 'define.variables' }) : plain;
  await client.create(clusterClass.intent());
  const { apiVersion, kind, metadata } = clusterClass.build();
  await client.until({ apiVersion, kind, namespace, name: metadata.name }, isTrue('VariablesReady'));
}
