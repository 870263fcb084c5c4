// The function behind the delay queue of a provider's deployment.
import { handler as timer } from '../../functions/timer/handler.ts';
import type { ProviderHandler } from './lambda.ts';

export const handler: ProviderHandler = timer;
