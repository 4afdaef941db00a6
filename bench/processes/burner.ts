// Keeps a core busy with nothing until it is ended.
for (;;) Math.random();
