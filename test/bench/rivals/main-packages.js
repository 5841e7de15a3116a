// Turns on the compile cache, then loads the main packages of the gateway: what they alone need from a start to an answer.
import nodeModule from 'node:module';

nodeModule.enableCompileCache(process.env.CACHE_FOLDER);
// Only now, so that the cache has what this loads.
await import('./main-packages-server.js');
