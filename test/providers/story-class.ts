// Creates the class of the stories.
import type { Intent } from '@capi-serverless/apimachinery';
import type { WorldClient } from '../support/world-client.ts';
import type { UpstreamProviders } from '../upstream-providers/providers.ts';
import { toStoryClass } from './story-cluster.ts';
import { until } from './until.ts';

/** Creates the class and its templates. Returns the class. */
export async function createStoryClass(client: WorldClient, { clusterClass }: UpstreamProviders): Promise<Intent> {
  const objects = toStoryClass(clusterClass);
  const found = objects.find(({ kind }) => kind === 'ClusterClass');
  if (found === undefined) {
    throw new Error('The file of upstream has no ClusterClass');
  }
  for (const object of objects) {
    await createWhenAnswered(client, object);
  }
  return found;
}

/** An API server uses changed webhook configurations and CRDs a moment later. */
async function createWhenAnswered({ create }: WorldClient, object: Intent): Promise<void> {
  await until('have a class', async () => {
    try {
      await create(object);
      return undefined;
    } catch (error) {
      if (/failed calling webhook|conversion webhook/.test(String(error))) {
        return String(error);
      }
      throw error;
    }
  });
}
