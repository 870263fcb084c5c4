// Uses every permission of the ExtensionConfig role.
import { anExtension, definingNothing } from '../extension.ts';
import type { RightsStage } from '../stage.ts';

/** An ExtensionConfig gets its CA from a Secret, and its handlers from the server. */
export async function scenario(stage: RightsStage): Promise<void> {
  await anExtension(stage, { name: 'asked', ...definingNothing });
}
