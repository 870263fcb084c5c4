// The location of ElasticMQ's program, and its configuration.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testCacheDir } from '../support/test-cache.ts';

export const pomPath = join(import.meta.dirname, 'pom.xml');
export const configPath = join(import.meta.dirname, 'elasticmq.conf');

/** The folder that `npm run elasticmq` fills. If it exists, it is complete. */
export function elasticMqDir(env?: Readonly<Record<string, string | undefined>>): string {
  const hash = createHash('sha256').update(readFileSync(pomPath)).digest('hex').slice(0, 16);
  return join(testCacheDir(env), `elasticmq-${hash}`);
}

/** Returns the folder with ElasticMQ's jars. `missing` is the reason in one line why there is none. */
export function findElasticMq(): { readonly dir: string } | { readonly missing: string } {
  const dir = elasticMqDir();
  return existsSync(dir) ? { dir } : { missing: 'ElasticMQ is not fetched; run "npm run elasticmq" once' };
}
