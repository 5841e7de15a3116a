// The packages that the gateway is made of, and nothing of the gateway: what they alone need from a start to an answer.
import nodeModule from 'node:module';

nodeModule.enableCompileCache(process.env.CACHE_FOLDER);
// Only now, so that the cache has what this loads.
await import('./packages-server.js');
