"""Weather, traffic, sums, languages and the world outside: what nothing here knows."""

from __future__ import annotations

from skills.fixed.replies import FixedReply

SUBJECTS = (
    FixedReply(
        "HassGetWeather",
        "I can't tell the weather yet.",
        (
            "what is it like (outside|out|out there|outdoors)",
            "how is the weather [outside|today|now|right now]",
            "what is the weather (doing|like) [outside|out there|now|right now|today]",
            "is it (raining|snowing|windy|sunny|cloudy|foggy|icy|wet|dry|stormy|nice|pouring) "
            "(outside|out|out there|now|right now|outdoors|at the moment)",
            "is it [still] (raining|snowing|pouring|sunny|windy|foggy|frosty)",
            "how (windy|sunny|wet|cloudy) is it [outside|out there|today]",
        ),
        asks=True,
    ),
    FixedReply(
        "GetForecast",
        "I can't tell that of the weather.",
        (
            "(what is|give me|tell me|read me) the [weather] forecast [for (<day>|{place})]",
            "(what is|how is|what will) the weather (going to be|be|looking) [like] [(for|in) "
            "{place}] [<day>]",
            "what is the weather [like] (<day>|for <day>|in {place}|in {place} <day>)",
            "(will it|is it going to|is it meant to|is it supposed to|might it) (rain|snow|freeze"
            "|be sunny"
            "|be hot|be cold|be warm|be windy|stay dry|clear up|storm|be nice|be dry|be "
            "raining|be wet) "
            "[<day>|at {clock}|at all|around {clock}|later on|outside]",
            "(do|does|should|will) (i|we|the kids|the children|he|she|they|{who}) "
            "(need|take|wear|want|bring) "
            "(a|an|the|some|their|my|our) (umbrella|umbrellas|coat|coats|jacket|raincoat|scarf"
            "|hat|gloves"
            "|sunscreen|sun cream|wellies|boots|jumper) [<day>]",
            "how (hot|cold|warm|windy|wet) (will it be|is it going to be|will it get|does it get) "
            "[<day>]",
            "what (is the temperature going to be|temperature will it be|will the temperature be) "
            "[<day>]",
            "(when|what time) (will|does|is) it (rain|snow|stop raining|stop|clear up|going to "
            "rain)",
            "(is there|will there be) [any|a] (rain|snow|frost|ice|storm|thunder|sun) "
            "[coming|forecast|<day>]",
            "what (shall|should) (i|we) wear [<day>]",
            "(is it|will it be) (barbecue|beach|gardening|washing) weather [<day>]",
            "did it (rain|snow|freeze) [in the night|last night|yesterday|today]",
        ),
        asks=True,
    ),
    FixedReply(
        "SunTimes",
        "I don't know when the sun rises or sets.",
        (
            "(when|what time) (is|does|will) (sunset|sunrise|dusk|dawn|the sun) [set|rise|go "
            "down|come up] [<day>]",
            "(when|what time) (does|will) it (get|be|go) (dark|light) [<day>]",
            "how long (is it|until|till) (until|till|) (sunset|dark|it gets dark|sunrise)",
            "(when|what time) is (sunset|sunrise|low tide|high tide|the full moon) [<day>]",
            "what (phase is the moon in|is the moon doing)",
        ),
        asks=True,
    ),
    FixedReply(
        "GetNews",
        "I have no news. Name a feed in the settings.",
        (
            "(what is|is there anything) (in|on) the news [<day>]",
            "(give|tell|read|play) (me|us) the [latest|local|world|morning] (news|headlines)",
            "(what are|read) (the|today's) [latest] headlines",
            "(the news|news|news please|headlines|latest news|play the news|put the news on)",
            "(any|is there any|have you got any) news [(on|about|from) {what}]",
            "what is (happening|going on) in (the world|{place})",
            "(what has happened|what happened) (in the world|today|in the news)",
            "who (won|is winning) the (election|vote)",
        ),
        asks=True,
    ),
    FixedReply(
        "TravelTimes",
        "I have no information on traffic, trains or buses.",
        (
            "(how is|what is) the (traffic|road|motorway) [like] [<day>|to {place}|on "
            "{place}|going {place}]",
            "is there [much|any|a lot of|heavy|bad] traffic [(to|on|in) {place}|<day>]",
            "(are there|is there|any|have we got|check for) [any] (delays|delay|hold "
            "ups|roadworks) [(on|to|with) {what}]",
            "(is|are) (the|my|our) {what} (delayed|on time|running late|cancelled|running|late)",
            "(is|are) (the|my) (train|bus|flight|plane|tube|trains|buses|ferry) "
            "(delayed|on time|running late|cancelled|running|late) [<day>]",
            "when is the (next|last|first) (train|bus|tram|tube|ferry|flight) [(to|from|into) "
            "{place}]",
            "when does the (next|last|first) (train|bus|tram|tube|ferry) (go|leave|come) "
            "[(to|from) {place}]",
            "(which|what) (bus|train|tram|line) (goes|do i take|should i take|runs) to {place}",
            "are the roads (clear|icy|busy|bad|closed) [<day>]",
            "how are the (roads|trains|buses) [<day>]",
            "when (do|should) (i|we) (have|need) to (leave|set off) [(for|to) {place}|to get to "
            "{place}]",
        ),
        asks=True,
        in_documents=True,
    ),
    FixedReply(
        "GetDirections",
        "I can't give directions.",
        (
            "how (do|can) (i|we|you) get to {place}",
            "(navigate|directions|give me directions|get directions|show me the way|take me) [to] "
            "{place}",
            "how (do|can) (i|we) (drive|walk|cycle) to {place}",
            "how long (does|will|would) it take [me|us] to (get|drive|walk|cycle|travel) [to] "
            "{place}",
            "how long is the (drive|journey|walk|trip|flight) [to {place}|from here]",
            "how far (is it|is it to) {place}",
            "how far (away is|is) {place} [from here|by car|on foot|by train]",
            "what is the (quickest|best|fastest|shortest) (way|route) [to {place}|home]",
            "where is the nearest {place}",
            "(is there|where is there|where can i find) (a|an|any) {place} (near "
            "here|nearby|around here|round here)",
            "where am i",
        ),
        asks=True,
        in_documents=True,
    ),
    FixedReply(
        "OpeningHours",
        "I don't know opening hours.",
        (
            "(is|are) {place} (open|closed|shut) (till|until|at|before|after) {clock} [<day>]",
            "(is|are) {place} open (late|on sundays|on saturdays|on bank holidays|at the weekend)",
            "(when|what time|how late) (does|do|is|are|will) {place} (open|close|shut|closing"
            "|opening) [<day>]",
            "what are {place}'s opening (hours|times)",
            "what are the opening (hours|times) [of|for|at] {place}",
        ),
        asks=True,
        in_documents=True,
    ),
    FixedReply(
        "DoHomework",
        "You can do that better than me. I can't help with homework.",
        (
            "(do|can you do|finish|help me with|help with|write) (my|our|his|her|the) [{what}] "
            "homework [for me|with me]",
            "(write|do) (my|an|the|our) (essay|school project|book report) [(about|on) {what}]",
        ),
    ),
    FixedReply(
        "MedicalAdvice",
        "I can't give medical advice. Please ask a doctor or a pharmacist.",
        (
            "how (much|many) (paracetamol|ibuprofen|calpol|aspirin|medicine|cough syrup|tablets"
            "|{what}) (can|should|may|do) (i|we|you) give (him|her|them|{who})",
            "how (much|many) (paracetamol|ibuprofen|aspirin|medicine|tablets|pills) (can|should|may"
            "|do) (i|he|she|we) (take|have)",
            "(can|should|may) (i|he|she|we) (take|have) (paracetamol|ibuprofen|aspirin|tablets"
            "|antibiotics) [(with|and|after|before) {what}]",
            "what is a (normal|high|healthy) (temperature|fever|pulse|blood pressure) "
            "[for (a|an|my) {who}]",
            "what (is good|helps|can i do|should i take) (for|against) (a|the|my) (headache|cold"
            "|cough|fever|sore throat|hangover|burn|rash|stomach ache|toothache)",
            "(is it|is this|is that) (contagious|infectious|dangerous) [if {what}]",
            "(do i|does he|does she) (have|need) (a fever|a doctor|antibiotics|stitches)",
        ),
        asks=True,
        in_documents=True,
    ),
    FixedReply(
        "FindThing",
        "I can't find phones or people.",
        (
            "(find|ring|locate|call) my (phone|mobile|tablet|watch|keys|wallet|handbag)",
            "where (is|are|did i put|have i left) my (phone|mobile|keys|glasses|wallet|purse|bag)",
            "i (lost|can not find|have lost) my (phone|mobile|keys|glasses|wallet|purse|bag)",
            "where is (everybody|everyone|the dog|the cat)",
            "(is|are) (anybody|anyone|somebody|{who}|the kids) (at home|in the "
            "house|upstairs|back yet|home yet)",
            "who is (at home|in the house|home)",
        ),
        asks=True,
        in_documents=True,
    ),
    FixedReply(
        "WatchDoor",
        "I can't see or hear who is there.",
        (
            "(who is|who was|is there somebody|is somebody|is anybody|is there anyone) at the "
            "[front|back] door",
            "(did|was that) (the doorbell|the doorbell ring|somebody knock|anybody ring|anyone "
            "knock)",
            "(show|check|open|look at) (me|) the [front|back|garden|baby|door] "
            "(camera|cameras|webcam)",
            "(what|who) is on the [front|back|garden|door] camera",
            "(is the baby|are the kids|is {who}) (asleep|awake|sleeping|crying|ok)",
        ),
        asks=True,
    ),
    FixedReply(
        "ArmAlarm",
        "I can't arm or disarm an alarm system yet.",
        (
            "(arm|disarm|activate|deactivate) (the|my|our) [burglar|house|security|intruder] "
            "(alarm|system|house) [<moment>]",
            "(set|turn on|turn off|switch on|switch off) the (burglar|house|security|intruder) "
            "alarm [system]",
            "is the (burglar|house|security|intruder) alarm (on|set|armed)",
            "(arm|disarm) [the] (home|away|night) [mode]",
        ),
    ),
    FixedReply(
        "Calculate",
        "I can't do sums yet.",
        (
            "(what is|what are|how much is|calculate|work out|) {first} <times> {second}",
            "(what is|how much is|calculate|work out) {first} percent (of|off) {second}",
            "(what is|how much is|calculate) (half|a third|a quarter|a fifth|a "
            "tenth|double|twice) [of] {first}",
            "(add|multiply|divide|subtract|take) {first} (and|by|to|from|away from) {second}",
            "what is [the] (square root|cube|square|half|double) of {first}",
            "what is {first} (squared|cubed)",
            "(split|divide) {first} [<currency>] (between|by|among|into) {second} [people|ways|of "
            "us]",
            "how many times does {first} go into {second}",
            "(do|can you do) (sums|maths|math|some sums) [for me|with me]",
            "{first} (squared|percent of {second})",
        ),
        asks=True,
    ),
    FixedReply(
        "ConvertUnits",
        "I can't convert units yet.",
        (
            "what is {first} <unit> in <unit>",
            "how many <unit> (is|are|are there in|in|are in|make|to) (a|an|{first}|one) <unit> "
            "[of {what}]",
            "how (much|heavy|long|hot|far) is {first} <unit> in <unit>",
            "convert {first} <unit> (to|into) <unit>",
            "{first} <unit> (in|to|into) <unit>",
            "(convert|change) <unit> (to|into) <unit>",
            "what is (a|an) <unit> of {what} in <unit>",
            "and in <unit>",
        ),
        asks=True,
    ),
    FixedReply(
        "ExchangeRates",
        "I don't know exchange rates or market prices.",
        (
            "what is (the|a) <currency> (at|worth|doing|trading at) [<day>]",
            "what is the (exchange rate|rate for the <currency>|price of (gold|oil|petrol|bitcoin"
            "|silver))",
            "(how much is|how much are|what is|what are|convert) {first} <currency> "
            "(in|to|into|worth in) <currency>",
            "how many <currency> (is|are|to the|in a|for a|do i get for) [{first}] <currency>",
            "(and|so|what is that|how much is that|that) in <currency>",
            "(how is|how are|what is) the (stock market|markets|ftse|dow jones|dax|nasdaq) "
            "[doing] [<day>]",
            "(what are|how are|what is) {what} (shares|stocks|stock|share price) [at|doing|worth] "
            "[<day>]",
        ),
        asks=True,
    ),
    FixedReply(
        "Translate",
        "I can't translate.",
        (
            "how (do|would|does) (you|i|we|one) say {what} in <language>",
            "(what is|what does) {what} [mean] in <language>",
            "what is the <language> [word] for {what}",
            "translate [{what}] [from <language>] [(into|to) <language>]",
            "translate (that|this|it|{what})",
            "(say|speak|talk|answer) [{what}] in <language>",
            "(do|can) you (speak|understand|know|talk) (<language>|other languages|any languages)",
            "(speak|talk) (<language>|another language)",
            "(teach me|i want to learn) [some] <language>",
        ),
        asks=True,
    ),
    FixedReply(
        "SpellWord",
        "I can't spell yet.",
        (
            "how (do|would) (you|i) spell {what}",
            "spell {what}",
            "how is {what} (spelled|spelt)",
        ),
        asks=True,
    ),
    FixedReply(
        "DefineWord",
        "I have no dictionary.",
        (
            "how (do|would) (you|i) (pronounce|write) {what}",
            "(pronounce|define) {what}",
            "how is {what} (written|pronounced)",
            "what is the (definition|plural|opposite|meaning) of {what}",
            "what rhymes with {what}",
            "(what is another|give me another|is there another) word for {what}",
            "(look up|what does) the word {what} [mean]",
            "[is that] with (one or two {what}|a {what} or a {who})",
        ),
        asks=True,
    ),
    FixedReply(
        "TimeElsewhere",
        "I only know the time here.",
        (
            "what time is it [now|right now|over] (in|at) {place} [now|right now|at the moment]",
            "(what is|tell me) the [local|current] time in {place}",
            "what time (will it be|would it be) in {place}",
            "(what is the|is there a) time difference [(to|between|from|with) {place}]",
            "what time zone (is {place} in|are we in)",
            "how many hours (ahead|behind) is {place}",
            "is it (morning|night|late|daytime|dark) in {place} [now]",
        ),
        asks=True,
    ),
    FixedReply(
        "SearchWeb",
        "I can't search the web.",
        (
            "(search|look) [on] [the] (web|internet|online|google|wikipedia) [for] {what}",
            "(google|search for|search up|bing) {what}",
            "look (up {what}|{what} up) [online|on the internet|for me]",
            "look (it|that|this) up",
            "(ask|what does|check) (google|wikipedia|the internet|alexa|siri|chat gpt) [say] "
            "[about {what}]",
            "find (me|us) (a|an|some|the|another) [good|cheap|cheaper|better|nice|new|nearby] "
            "{what}",
            "(find|look for) (a|an) (recipe|restaurant|plumber|hotel|flight|shop|babysitter) "
            "[(for|in|near) {what}]",
            "where can (i|we|you) (buy|get) {what} [(near|around|round|in) {place}]",
            "(go to|open) (the website|the internet|a website|google|wikipedia|my browser)",
            "what are people saying about {what}",
            "(recommend|suggest) (me|us|) (a|an|some) [good] {what}",
        ),
    ),
    FixedReply(
        "ChangeVoice",
        "I can't change how I speak.",
        (
            "(speak|talk|read) [a bit|a little] (slower|faster|more slowly|more clearly|clearly)",
            "(speak|talk|read) (slower|faster) (a bit|a little|please)",
            "i (can not|can hardly|can barely) understand you",
            "(do not|you do not have to|stop) (mumble|mumbling|speak so fast|talk so fast)",
            "(change|lower|raise) your (accent|name|tone|wake word|language)",
            "change your (voice|volume)",
            "(use|do|put on|speak with) (a|an|another|a different|a man's|a woman's) "
            "(voice|accent)",
            "(whisper|whisper please|can you whisper|talk in a whisper)",
        ),
    ),
    FixedReply(
        "ChangeSettings",
        "I can't change my own settings by voice.",
        (
            "(connect|pair|link) [(to|with)] (the wifi|the wi fi|bluetooth|my phone|the "
            "internet|a speaker|{what})",
            "(update|reset|upgrade) (yourself|the assistant|your software|the system)",
            "((turn|switch) yourself (off|on)|shut yourself (off|down))",
            "(add|find|install|discover|set up|connect) (a|the|my) [new] (device|devices|lamp"
            "|speaker|skill|user|app)",
            "(change|open) (the|your|my) settings",
            "do not record (me|us)",
        ),
    ),
)
