// Loaded before the watch-forwarder (`node --import`). Its heartbeats begin after a second instead of two minutes.
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { heartbeatMs } from '../../../functions/watch-forwarder/heartbeat.ts';

const original = timers.setTimeout;
timers.setTimeout = (ms, ...rest) => original(ms === heartbeatMs ? 1000 : ms, ...rest);
syncBuiltinESMExports();
