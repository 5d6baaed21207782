// What pages can do beyond links and forms, where scripts run. Every page is whole without it.
"use strict";
