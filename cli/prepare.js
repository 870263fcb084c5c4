// npm runs this after it installed the packages. Plain JavaScript, so that an old Node can run it.
import './link-node.js';
import { bundleCommandLine } from './bundle.js';

try {
  await bundleCommandLine();
} catch (error) {
  process.stderr.write(`capi-serverless: starts from its sources, because they could not be bundled: ${error}\n`);
}
