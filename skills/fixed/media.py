"""Music, television, games and stories: what nothing here does."""

from __future__ import annotations

from skills.fixed.replies import FixedReply
from skills.music.sentences import (
    NO_MEDIA,
    PLAY_ELSE,
    PLAY_MUSIC,
    PLAY_STATION,
)

SUBJECTS = (
    FixedReply(
        "HassMediaSearchAndPlay",
        NO_MEDIA,
        (*PLAY_MUSIC, *PLAY_ELSE, *PLAY_STATION),
        about=("music", "song", "track", "sound", "tv", "telly", "television", "radio"),
    ),
    FixedReply(
        "TelevisionGuide",
        "I have no television or sports listings.",
        (
            "what is on (tv|telly|television|the box|netflix|the bbc|bbc {what}|channel {what}) "
            "[<day>]",
            "[what is] (the|my) (tv|telly|television) (guide|schedule|listings) [<day>]",
            "(is there|is) [there] anything (good|on|good on|worth watching) on "
            "(tv|telly|television) [<day>]",
            "is there [any|a] (football|rugby|tennis|cricket|sport|match|game|film|movie) on [tv] "
            "[<day>]",
            "(what time|when) (is|does) the (match|game|film|football|rugby|race|news|show|final) "
            "(on|start|begin|kick off) [<day>]",
            "(what|which) (channel|side) is (it|{what}|the match|the game|the football) on",
            "(when|what time) is {what} on (tv|telly|television|netflix)",
            "what (films|movies) are on [at the cinema] [<day>]",
            "what is on at the (cinema|theatre|pictures|movies) [<day>]",
        ),
        asks=True,
    ),
    FixedReply(
        "SportsResults",
        "I have no sports results.",
        (
            "who (won|is winning|is playing|scored) [the (match|game|race|cup|league|football"
            "|final)]",
            "(what is|what was) the (score|result) [(of|in) {what}] [<day>]",
            "did {what} (win|lose|score|qualify) [<day>|yesterday|last night]",
            "how (did|are) {what} (get on|do|doing) [(in|at) the (match|game|cup|league)]",
            "when (do|does|are|is) {what} (play|playing|race) [next|again|<day>]",
            "where are {what} in the (league|table)",
        ),
        asks=True,
    ),
    FixedReply(
        "TellStory",
        "I don't know any stories, poems or riddles.",
        (
            "(tell|read) (me|us|the kids|the children) (a|another|one more|the) "
            "[bedtime|short|scary|fairy] "
            "(story|tale|fairy tale|poem|rhyme|riddle|nursery rhyme|book|chapter) "
            "[(about|of|with) {what}]",
            "(i|we) want (a|another|to hear a) [bedtime] (story|fairy tale|poem|riddle)",
            "(read|tell) [me|us] (goldilocks|cinderella|harry potter|the gruffalo|a chapter)",
            "read (on|to me|to us|the next chapter|my book|from my book)",
            "(make up|invent|write) (a|me a|us a) (story|poem|rhyme|limerick|song) [about {what}]",
            "(do you know|have you got) (a|any) (stories|story|poems|riddles|fairy tales)",
            "(once upon a time|story time|story please|bedtime story)",
            "tell me (a|an|another|some) [fun|interesting|random] (fact|facts) [about {what}]",
        ),
    ),
    FixedReply(
        "PlayGame",
        "I can't play games.",
        (
            "(let us|can we|can i|i want to|will you) play (a game|games|hide and seek|i spy|trivia"
            "|twenty questions|20 questions|chess|noughts and crosses|tic tac toe|hangman|cards)",
            "play (a game|i spy|hide and seek|trivia|chess|musical statues|simon says|hangman) "
            "[with me|with us]",
            "(i spy|i spy with my little eye|simon says|truth or dare)",
            "(quiz|test) (me|us|the kids) [(on|about) {what}]",
            "(ask|give) (me|us) (a|another|some) (quiz question|trivia question|riddle|brain "
            "teaser|sums)",
            "(start|do) a (quiz|trivia quiz|game|pub quiz)",
            "(rock paper scissors|guess (a|my) number|guess what i am thinking|what am i thinking "
            "of)",
        ),
    ),
    FixedReply(
        "RollDice",
        "I can't roll dice or toss coins yet.",
        (
            "(roll|throw) [a|the|two|some] (die|dice)",
            "roll a [{first} sided] (die|dice)",
            "(flip|toss|throw) a coin",
            "heads or tails",
            "(pick|choose|give me|tell me|say) a [random] (number|card|colour|color|name|letter) "
            "[between {first} and {second}|from {first} to {second}]",
            "(pick|choose) (one|someone|somebody|for me|for us)",
        ),
    ),
    FixedReply(
        "Sing",
        "I can't sing or make noises.",
        (
            "sing [(me|us|something|a song|a lullaby|another song|happy birthday|jingle bells)]",
            "sing (me|us) (a song|something|a lullaby|happy birthday|{what})",
            "sing {what} (to|for|with) (me|us|{who})",
            "(can you|will you) (sing|rap|whistle|dance|hum|beatbox|yodel|do a rap)",
            "(do|rap|hum|whistle) (a rap|something|a song|a tune|a dance|the alphabet song)",
            "(make|do) (a|an|some) [funny|silly|rude|animal|farting|fart] (noise|noises|sound"
            "|sounds)",
            "(make|do) a noise like {what}",
            "what (noise|sound) does (a|an|the) {what} make",
            "what does (a|an|the) (cow|dog|cat|lion|fox|pig|duck|sheep|owl|horse) say",
            "(bark|moo|meow|miaow|roar|growl|burp|fart|snore|quack) [like a {what}|for me]",
        ),
    ),
    FixedReply(
        "ShowThing",
        "I have no screen to show anything on.",
        (
            "show (me|us) (a|an|some|the|my|our) (picture|photo|video|map|pictures|photos|videos) "
            "[(of|from|for) {what}]",
            "show (me|us) {what} on (the screen|a map|the map|youtube)",
            "(show|let) (me|us) [see] (the|my|our|some) {what} (photos|pictures|videos|photo "
            "album)",
            "show (me|us) (the|my|our|some) (photos|pictures|videos) (of|from) {what}",
            "(bring|pull) up (the|my|our) {what} (photos|pictures|videos|map)",
            "(open|show|look at) (my|our|the) (photos|pictures|photo album|album|gallery)",
            "(open|launch|start) (the app|an app|youtube|netflix|spotify|facebook|instagram"
            "|whatsapp|chrome)",
            "(what does|what do) {what} look like",
        ),
    ),
    FixedReply(
        "TakePhoto",
        "I can't take pictures.",
        (
            "(take|snap) (a|another|my|our) [quick|family] (photo|picture|selfie|video|photograph) "
            "[of {what}]",
            "(record|film|start recording|stop recording) [(a video|me|us|this|that)]",
        ),
    ),
    FixedReply(
        "PrintThing",
        "I can't print.",
        (
            "print [out] (this|that|it|{what})",
            "(scan|photocopy|copy|fax) (this|that|{what})",
        ),
    ),
)
