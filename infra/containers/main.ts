// `npm run image`: builds and pushes the image of the watch-forwarder.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { toError } from '@capi-serverless/reconciler';
import { bundleProgram, projectRoot } from '../bundles/bundle.ts';
import { forwarderProgram } from '../function-plans.ts';
import { buildImage, ImageError, imageHelp, parseImageOptions, toDockerError } from './forwarder-image.ts';

async function main(): Promise<void> {
  const options = parseImageOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(imageHelp);
    return;
  }
  await bundleProgram(forwarderProgram, path.join(projectRoot, 'dist/programs'));
  const docker = async (args: readonly string[]): Promise<string> => {
    try {
      const { stdout } = await promisify(execFile)('docker', [...args], { maxBuffer: 64 * 1024 * 1024 });
      return stdout;
    } catch (error) {
      throw toDockerError(args, toError(error));
    }
  };
  const digest = await buildImage({ root: projectRoot, docker }, options);
  console.log(`${options.repository}@${digest}`);
  console.log('Name it in an overlay: components: [../capi-serverless/dist/forwarder-image]');
}

await main().catch(error => {
  if (!(error instanceof ImageError)) {
    throw error;
  }
  console.error(error.message);
  process.exitCode = 2;
});
