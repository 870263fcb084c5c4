// What `npm start -- --provider examples/actuator` runs.
import { createRacksInMemory } from '../provider/racks.ts';
import { defineRackActuator } from './rack-actuator.ts';

export const reconcilers = [defineRackActuator(createRacksInMemory())];
