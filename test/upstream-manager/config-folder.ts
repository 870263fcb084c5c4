// The manifests that upstream generates for a manager: its CRDs and webhook configurations. Its release adds conversion
// webhooks, names and addresses to them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Intent } from '@capi-serverless/apimachinery';
import { parse, parseAllDocuments } from 'yaml';

/** Returns the CRDs in the folder `config` of a manager, without conversion webhooks. */
export function readCrds(config: string): readonly Intent[] {
  const folder = join(config, 'crd/bases');
  return readdirSync(folder)
    .sort()
    .map(file => parse(readFileSync(join(folder, file), 'utf8')) as Intent); // true: each file contains one definition
}

/** Returns the webhook configurations in the folder `config` of a manager. */
export function readWebhooks(config: string): readonly Intent[] {
  const documents = parseAllDocuments(readFileSync(join(config, 'webhook/manifests.yaml'), 'utf8'));
  return documents.map(document => document.toJS() as Intent); // true: each document is a webhook configuration
}
