// Downloads ElasticMQ with Maven, once per version, into the user's cache. Run as `npm run elasticmq`. See README.md in
// this folder.
import { spawnSync } from 'node:child_process';
import { ensurePart } from '../support/cached-part.ts';
import { elasticMqDir, pomPath } from './location.ts';

const leastJava = 17;

function lackingJava(): string | undefined {
  const needed = `Java ${leastJava} or newer is needed to run ElasticMQ`;
  const { error, stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' });
  if (error !== undefined) {
    return `${needed}, and no "java" can be run (${error.message})`;
  }
  const version = Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0);
  return version >= leastJava ? undefined : `${needed}; found ${stderr.split('\n')[0]}`;
}

function lackingMaven(): string | undefined {
  const { error } = spawnSync('mvn', ['-version'], { stdio: 'ignore' });
  return error === undefined
    ? undefined
    : `Maven is needed to fetch ElasticMQ, and no "mvn" can be run (${error.message}); install it from https://maven.apache.org`;
}

/** The checksum check is strict, so that a damaged jar causes an error here and not in a test. */
function copyInto(dir: string): string | undefined {
  const args = ['-B', '-q', '-C', '-f', pomPath, 'dependency:copy-dependencies', `-DoutputDirectory=${dir}`];
  const { status, stdout } = spawnSync('mvn', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  return status === 0 ? undefined : `mvn ${args.join(' ')} ended with ${status}:\n${stdout.slice(-4000)}`;
}

ensurePart({
  name: 'ElasticMQ',
  dir: elasticMqDir(),
  announcement: 'Fetching ElasticMQ and what it needs (43 MB, less than a minute)',
  lacking: () => lackingJava() ?? lackingMaven(),
  fill: copyInto,
});
