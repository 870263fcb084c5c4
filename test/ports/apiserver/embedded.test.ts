// The API server's conformance suite against the embedded server.
import { openEmbedded } from './subject.ts';
import { apiServerConformance } from './suite.ts';

apiServerConformance('embedded', openEmbedded);
