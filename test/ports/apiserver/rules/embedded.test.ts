// Validation rules on the embedded server.
import { openEmbedded } from '../subject.ts';
import { ruleConformance } from './suite.ts';

ruleConformance('embedded', openEmbedded);
