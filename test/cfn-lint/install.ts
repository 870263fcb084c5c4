// Installs cfn-lint, once per version, into the user's cache. Run as `npm run cfn-lint`. See README.md in this
// folder.
import { installPackages } from '../support/python-packages.ts';
import { cfnLint } from './cfn-lint.ts';

installPackages(cfnLint);
