// Installs moto, once per version, into the user's cache. Run as `npm run iam-engine`. See README.md in this folder.
import { installPackages } from '../support/python-packages.ts';
import { iamEngine } from './iam-engine.ts';

installPackages(iamEngine);
